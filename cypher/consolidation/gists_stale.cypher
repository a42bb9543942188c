// Gists whose episode has other facts now than those it was made of: their record ids, oldest first.
MATCH (r:Record)
USING INDEX SEEK r:Record(memory, gist_turn)
WHERE r.memory = $memory AND r.gist_turn >= 0 AND r.resting IS NULL AND NOT coalesce(r.fixed, false)
CALL (r) {
  UNWIND r.associations AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory AND a.implied IS NULL AND a.superseded_turn IS NULL
  WITH a.id AS fact ORDER BY fact
  RETURN collect(fact) AS holding
}
WITH r, holding WHERE holding <> r.gist_facts
RETURN r.id AS id ORDER BY r.turn, r.role DESC, r.id
