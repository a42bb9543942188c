// Mark all that is to go and leave an audit line: what was begun is finished even if nobody remembers what was asked.
// $id: of the audit line; $concepts, $records, $associations: ids; $audit: numbers; $gone: hashes of record ids.
MATCH (m:Memory {name: $memory})
SET m.lock = $id
CREATE (f:Forgetting {memory: $memory, id: $id})
SET f += $audit, f.gone = $gone, f.at = datetime(), f.state = 'running'
WITH f
CALL () {
  MATCH (c:Concept)
  WHERE c.memory = $memory AND c.id IN $concepts
  SET c.forgetting = $id
  RETURN count(c) AS concepts
}
CALL () {
  MATCH (c:Merged)
  WHERE c.memory = $memory AND c.id IN $concepts
  SET c.forgetting = $id
  RETURN count(c) AS merged
}
CALL () {
  UNWIND $records AS id
  MATCH (r:Record {memory: $memory, id: id})
  SET r.forgetting = $id
  RETURN count(r) AS records
}
CALL () {
  UNWIND $associations AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  SET a.forgetting = $id
  RETURN count(a) AS associations
}
RETURN concepts + merged + records + associations AS marked
