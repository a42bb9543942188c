// The associations of absorbed concepts: kept as shadows, and carried on by the survivors.
// $gone: ids that no longer live as they were; $shadows, $live: [{source, target, properties}];
// $changed: [{id, properties}]: associations that took another one up; $superseding: [{id, by}]
CALL () {
  UNWIND $gone AS id
  MATCH ()-[e:ASSOCIATED {id: id}]->()
  USING INDEX SEEK e:ASSOCIATED(memory, id)
  WHERE e.memory = $memory
  DELETE e
  RETURN count(*) AS gone
}
CALL () {
  UNWIND $shadows AS row
  MATCH (s:Concept {memory: $memory, id: row.source}), (t:Concept {memory: $memory, id: row.target})
  CREATE (s)-[w:WAS_ASSOCIATED]->(t)
  SET w = row.properties
  RETURN count(*) AS shadows
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
  UNWIND $superseding AS row
  MATCH ()-[e:ASSOCIATED {id: row.id}]->()
  USING INDEX SEEK e:ASSOCIATED(memory, id)
  WHERE e.memory = $memory
  SET e.superseded_by = row.by
  RETURN count(*) AS superseding
}
RETURN gone, shadows, live, changed, superseding
