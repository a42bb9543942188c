// The words of some records, packed for late interaction: `held`, [id, words]; and the cosines of some with a vector:
// `near`, [id, cosine]. Without those that are gone. $records, $compared: ids; $vector: null where none is compared
CALL () {
  UNWIND $records AS id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  RETURN collect([r.id, r.words]) AS held
}
CALL () {
  UNWIND $compared AS id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  RETURN collect([r.id, 2 * vector.similarity.cosine(r.embedding, $vector) - 1]) AS near
}
RETURN held, near
