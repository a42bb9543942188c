// Verbatim records by meaning and by words: [record id, full-text score] of each that either finds. One row.
// $vector: the question; $words: Lucene query ('' finds nothing); $limit: candidates per side.
CALL () {
  // The server's vector search fails where the filter matches nothing at all.
  WITH 1 AS guard WHERE EXISTS { MATCH (any:Record) WHERE any.memory = $memory }
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
WITH r, max(words) AS words
RETURN collect([r.id, words]) AS found
