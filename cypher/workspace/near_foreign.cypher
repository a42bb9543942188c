// The notes of an index nearest to a vector of another model than the memory's, the nearest first. $shelf: which index; $vector; $most: rows.
// `few`: notes where there are fewer than a search wants: they are compared one by one, since the server's vector search
// can fail where the filter matches less than its LIMIT.
CALL () {
  MATCH (n:Note)
  USING INDEX SEEK n:Note(memory, shelf, path)
  WHERE n.memory = $memory AND n.shelf = $shelf AND n.path > '' AND n.foreign_embedding IS NOT NULL
  WITH n LIMIT $most
  RETURN collect(n) AS few
}
CALL (few) {
  WITH few WHERE size(few) < $most
  UNWIND few AS n
  RETURN n, vector.similarity.cosine(n.foreign_embedding, $vector) AS score
  UNION ALL
  WITH few WHERE size(few) = $most
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_foreign_embedding FOR $vector WHERE n.shelf = $shelf LIMIT $most)
    SCORE AS score
  RETURN n, score
}
WITH n, score WHERE n.memory = $memory AND n.source IN $sources
RETURN n.id AS id, n.path AS path, n.start AS start, n.end AS end, n.text AS text, n.source AS source,
       n.modified AS modified, n.importance AS importance, n.triggers AS triggers, n.provenance AS provenance,
       2 * score - 1 AS score
ORDER BY score DESC, id
