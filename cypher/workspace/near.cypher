// The notes of an index nearest to a vector, the nearest first. $shelf: which index; $vector; $most: rows.
MATCH (n:Note)
  SEARCH n IN (VECTOR INDEX note_embedding FOR $vector WHERE n.shelf = $shelf LIMIT $most)
  SCORE AS score
WITH n, score WHERE n.memory = $memory AND n.source IN $sources
RETURN n.id AS id, n.path AS path, n.start AS start, n.end AS end, n.text AS text, n.source AS source,
       n.modified AS modified, n.importance AS importance, n.triggers AS triggers, n.provenance AS provenance,
       2 * score - 1 AS score
ORDER BY score DESC, id
