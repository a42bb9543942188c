// Who stated some associations, where somebody else than the one whom they are about speaks now. $ids: theirs.
UNWIND $ids AS id
MATCH ()-[a:ASSOCIATED {id: id}]->()
USING INDEX SEEK a:ASSOCIATED(memory, id)
WHERE a.memory = $memory
RETURN id, COLLECT {
  UNWIND a.records AS record
  MATCH (r:Record {memory: $memory, id: record})
  USING INDEX SEEK r:Record(memory, id)
  WHERE r.role = 'user'
  RETURN DISTINCT r.speaker
} AS speakers
