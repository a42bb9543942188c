// Verbatim records by meaning and by words: [record id, cosine or null] of each that either finds. One row.
// $vector: the question; $words: Lucene query ('' finds nothing); $limit: candidates per side.
// `few`: the memory's records where they are fewer than a search wants: they are compared one by one, since the server's
// vector search can fail where the filter matches less than its LIMIT.
CALL () {
  MATCH (r:Record)
  WHERE r.memory = $memory AND r.embedding IS NOT NULL
  WITH r LIMIT $limit
  RETURN collect(r) AS few
}
CALL (few) {
  WITH few WHERE size(few) < $limit
  UNWIND few AS r
  RETURN r, vector.similarity.cosine(r.embedding, $vector) AS score
  UNION
  WITH few WHERE size(few) >= $limit
  MATCH (r:Record)
    SEARCH r IN (VECTOR INDEX record_embedding FOR $vector WHERE r.memory = $memory LIMIT $limit)
    SCORE AS score
  RETURN r, score
  UNION
  WITH $words AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes('record_text', query, {limit: $limit}) YIELD node AS r
  WHERE r.memory = $memory
  RETURN r, null AS score
}
WITH r.id AS id, max(score) AS score WHERE id IS NOT NULL // deleted by now
RETURN collect([id, 2 * score - 1]) AS found
