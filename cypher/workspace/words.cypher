// The notes of an index that share words with a query, the best first. $shelf: which index; $words: Lucene query; $most: rows.
CALL db.index.fulltext.queryNodes('note_text', $words, {limit: $most}) YIELD node AS n, score
WHERE n.memory = $memory AND n.shelf = $shelf AND n.source IN $sources
RETURN n.id AS id, n.path AS path, n.start AS start, n.end AS end, n.text AS text, n.source AS source,
       n.modified AS modified, n.importance AS importance, n.triggers AS triggers, n.provenance AS provenance, score
ORDER BY score DESC, id
