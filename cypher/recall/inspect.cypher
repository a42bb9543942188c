// For the second ranking stage. One row.
//   held        words of the short list ($records: ids), packed for late interaction: [id, words]
//   superseded  ids of eligible records ($eligible) that state a replaced fact
//   compared    [id, cosine] of records that the search did not compare ($unknown)
CALL () {
  UNWIND $records AS id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  RETURN collect([r.id, r.words]) AS held
}
CALL () {
  UNWIND $eligible AS id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  CALL (r) {
    UNWIND r.associations AS association
    MATCH ()-[a:ASSOCIATED {id: association}]->()
    USING INDEX SEEK a:ASSOCIATED(id)
    WHERE a.memory = $memory AND a.superseded_turn IS NOT NULL
    RETURN count(a) AS replaced
  }
  WITH r.id AS id, replaced WHERE replaced > 0
  RETURN collect(id) AS superseded
}
CALL () {
  UNWIND $unknown AS id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  WHERE r.embedding IS NOT NULL
  RETURN collect([r.id, 2 * vector.similarity.cosine(r.embedding, $vector) - 1]) AS compared
}
RETURN held, superseded, compared
