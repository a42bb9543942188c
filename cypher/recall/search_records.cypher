// Verbatim records by meaning and by words; both scores for every record that either finds.
// $vector: the question; $words: Lucene query ('' finds nothing); $limit: candidates per side.
CALL () {
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
RETURN r.id AS id, words, 2 * vector.similarity.cosine(r.embedding, $vector) - 1 AS cosine
