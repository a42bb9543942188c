// Delete records, concepts (merged ones included) and associations, with all that hangs on them. $…: ids.
// Entries of a contract are erased by `contract/erase` instead. A note of a workspace is deleted; its file is not.
CALL () {
  UNWIND $records AS id
  MATCH (r:Record {memory: $memory, id: id})
  WHERE r.role <> 'entry'
  REMOVE r:Record:IndexedRecord:Unindexed
  DETACH DELETE r
  RETURN count(*) AS records
}
CALL () {
  UNWIND $associations AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  DELETE a
  RETURN count(*) AS associations
}
CALL () {
  UNWIND $concepts AS id
  MATCH (c:Concept {memory: $memory, id: id})
  REMOVE c:Concept:IndexedConcept:Unindexed
  DETACH DELETE c
  RETURN count(*) AS concepts
}
CALL () {
  UNWIND $concepts AS id
  MATCH (c:Merged {memory: $memory, id: id})
  DETACH DELETE c
  RETURN count(*) AS merged
}
RETURN records, associations, concepts, merged
