// Full-text search for a question, and where its memory stands (`found`, `version`, `stamp`: as in working_set/version).
// One row.
//   lexical  [i, ids] of concepts that share, begin with or nearly spell a word ($rows: [{i, kinds, words}]; $most of each)
//   saying   ids of records by words ($said: Lucene query, '' finds nothing), the best first; $limit: how many
CALL () {
  UNWIND $rows AS row
  CALL (row) {
    CALL db.index.fulltext.queryNodes('concept_text', row.words, {limit: 50}) YIELD node AS c, score
    WHERE c.memory = $memory AND c.kind IN row.kinds
    WITH c, score ORDER BY score DESC, c.id LIMIT $most
    RETURN collect(c.id) AS ids
  }
  RETURN collect([row.i, ids]) AS lexical
}
CALL () {
  WITH $said AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes('record_text', query, {limit: $limit}) YIELD node AS r, score
  WHERE r.memory = $memory
  WITH r, score ORDER BY score DESC, r.id
  RETURN collect(r.id) AS saying
}
OPTIONAL MATCH (m:Memory {name: $memory})
RETURN lexical, saying, m IS NOT NULL AS found, coalesce(m.version, 0) AS version, coalesce(m.stamp, '') AS stamp
