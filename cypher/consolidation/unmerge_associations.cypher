// What the survivor's associations become when a merge is undone.
// $gone: ids; $live: [{source, target, properties}]; $changed: [{id, properties}]
// $stated: [{record, associations}]: what each record states
CALL () {
  UNWIND $gone AS id
  MATCH ()-[e:ASSOCIATED {id: id}]->()
  USING INDEX SEEK e:ASSOCIATED(memory, id)
  WHERE e.memory = $memory
  DELETE e
  RETURN count(*) AS gone
}
CALL () {
  UNWIND $live AS row
  MATCH (s:Concept {memory: $memory, id: row.source}), (t:Concept {memory: $memory, id: row.target})
  CREATE (s)-[e:ASSOCIATED]->(t)
  SET e = row.properties
  RETURN count(*) AS live
}
CALL () {
  UNWIND $changed AS row
  MATCH ()-[e:ASSOCIATED {id: row.id}]->()
  USING INDEX SEEK e:ASSOCIATED(memory, id)
  WHERE e.memory = $memory
  SET e += row.properties
  RETURN count(*) AS changed
}
CALL () {
  UNWIND $stated AS row
  MATCH (r:Record {memory: $memory, id: row.record})
  SET r.associations = row.associations
  RETURN count(*) AS stated
}
RETURN gone, live, changed, stated
