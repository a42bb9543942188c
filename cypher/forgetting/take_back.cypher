// Write what taking a turn back changes. $…_gone: ids; $associations, $concepts: [{id, properties}]; $replies: [{id,
// associations}]; $pairs: [{source, target, count, last_turn}] with count 0 for those that go; $dimmed: [[id, pulse]]
CALL () {
  UNWIND $associations_gone AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  DELETE a
  RETURN count(*) AS gone
}
CALL () {
  UNWIND $associations AS row
  MATCH ()-[a:ASSOCIATED {id: row.id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  SET a += row.properties
  RETURN count(*) AS changed
}
CALL () {
  UNWIND $pairs AS row
  MATCH (x:Concept {memory: $memory, id: row.source})-[p:COINCIDED]->(y:Concept {memory: $memory, id: row.target})
  SET p.count = row.count, p.last_turn = row.last_turn
  WITH p WHERE p.count <= 0
  DELETE p
  RETURN count(*) AS apart
}
CALL () {
  UNWIND $replies AS row
  MATCH (r:Record {memory: $memory, id: row.id})
  SET r.associations = row.associations
  RETURN count(*) AS replies
}
CALL () {
  UNWIND $concepts AS row
  MATCH (c:Concept {memory: $memory, id: row.id})
  SET c += row.properties
  RETURN count(*) AS concepts
}
CALL () {
  UNWIND $dimmed AS row
  MATCH (c:Concept {memory: $memory, id: row[0]})
  SET c.activation = CASE WHEN c.activation - row[1] < $floor THEN 0.0 ELSE c.activation - row[1] END
  RETURN count(*) AS dimmed
}
CALL () {
  UNWIND $records_gone AS id
  MATCH (r:Record {memory: $memory, id: id})
  DETACH DELETE r
  RETURN count(*) AS records
}
CALL () {
  UNWIND $concepts_gone AS id
  MATCH (c:Concept {memory: $memory, id: id})
  DETACH DELETE c
  RETURN count(*) AS forgotten
}
MATCH (m:Memory {name: $memory})
SET m.turn = $clock,
    m.open_turn = CASE WHEN $last THEN null ELSE m.open_turn END,
    m.dim = CASE WHEN $last THEN null ELSE m.dim END,
    m.dim_activation = CASE WHEN $last THEN null ELSE m.dim_activation END,
    m.last_reply = CASE WHEN $last OR m.last_reply IN $records_gone THEN $last_reply ELSE m.last_reply END
RETURN records, gone, forgotten
