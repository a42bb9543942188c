// A second look. One row.
//   held        the words of the best candidates ($records: ids), packed for late interaction: [id, words]
//   superseded  which of those that may speak ($speaking) state a fact that was replaced
//   compared    [id, cosine] of those that the search did not compare ($unknown)
CALL () {
  UNWIND $records AS id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  RETURN collect([r.id, r.words]) AS held
}
CALL () {
  UNWIND $speaking AS id
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
