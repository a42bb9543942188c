// Which of some records no longer hold: one of the facts that they state was replaced. $records: ids. One row.
UNWIND $records AS id
MATCH (r:Record {memory: $memory, id: id})
USING INDEX SEEK r:Record(memory, id)
CALL (r) {
  UNWIND r.associations AS association
  MATCH ()-[a:ASSOCIATED {id: association}]->()
  USING INDEX SEEK a:ASSOCIATED(id)
  WHERE a.memory = $memory
  RETURN count(a.superseded_turn) AS superseded
}
WITH r.id AS id, superseded WHERE superseded > 0
RETURN collect(id) AS superseded
