// By whom and when a fact was made by editing others, and those. $id: the fact's. No row for a fact that nobody edited.
MATCH ()-[a:ASSOCIATED {id: $id}]->()
USING INDEX SEEK a:ASSOCIATED(memory, id)
WHERE a.memory = $memory AND a.edited
CALL (a) {
  MATCH ()-[o:ASSOCIATED {superseded_by: a.id}]->()
  USING INDEX SEEK o:ASSOCIATED(memory, superseded_by)
  WHERE o.memory = $memory
  RETURN collect({id: o.id, records: o.records}) AS former
}
RETURN a.edited_by AS speaker, a.first_turn AS turn, a.stated_at AS at, former
