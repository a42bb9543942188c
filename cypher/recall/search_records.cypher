// Verbatim records by meaning and by words: [record id, full-text score] of each that either finds. One row.
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
  RETURN r, 0.0 AS words
  UNION
  WITH few WHERE size(few) >= $limit
  MATCH (r:Record)
    SEARCH r IN (VECTOR INDEX record_embedding FOR $vector WHERE r.memory = $memory LIMIT $limit)
    SCORE AS score
  RETURN r, 0.0 AS words
  UNION
  WITH $words AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes('record_text', query, {limit: $limit}) YIELD node AS r, score AS words
  WHERE r.memory = $memory
  RETURN r, words
}
WITH r.id AS id, max(words) AS words WHERE id IS NOT NULL // deleted by now
RETURN collect([id, words]) AS found
