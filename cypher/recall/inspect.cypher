// What the best candidates hold, for a second look: [id, cosine, words packed for late interaction, whether one of the
// facts that they state was replaced]. $records: ids; $cosines: {id: cosine} of those that the search compared. One row.
UNWIND $records AS id
MATCH (r:Record {memory: $memory, id: id})
USING INDEX SEEK r:Record(memory, id)
CALL (r) {
  UNWIND r.associations AS association
  MATCH ()-[a:ASSOCIATED {id: association}]->()
  USING INDEX SEEK a:ASSOCIATED(id)
  WHERE a.memory = $memory
  RETURN count(a.superseded_turn) AS replaced
}
RETURN collect([r.id, coalesce($cosines[r.id], 2 * vector.similarity.cosine(r.embedding, $vector) - 1, 0.0), r.words,
                replaced > 0]) AS held
