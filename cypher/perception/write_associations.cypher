// What a turn states: new associations, repeated ones made stronger, replaced ones closed, the contested marked.
// Not MERGE, which takes no index hint: with some statistics it was planned as a scan of the index of ids.
// $created: [{source, target, properties}], each id once; $repeated: [{id, records, confidence}]; $superseded: [{id, by}]; $contested: [id]
// $reply, $taken_up: the assistant's record whose words are taken up, and the association ids that it gets for it
// $provenance: the number of record ids that an association lists at most (the first and the latest ones)
CALL () {
  UNWIND $created AS row
  OPTIONAL MATCH ()-[known:ASSOCIATED {id: row.properties.id}]->()
  USING INDEX SEEK known:ASSOCIATED(id)
  WHERE known.memory = $memory
  WITH row WHERE known IS NULL
  MATCH (s:Concept {memory: $memory, id: row.source}), (t:Concept {memory: $memory, id: row.target})
  USING INDEX SEEK s:Concept(memory, id)
  USING INDEX SEEK t:Concept(memory, id)
  CREATE (s)-[a:ASSOCIATED]->(t)
  SET a += row.properties
  RETURN count(a) AS created
}
CALL () {
  UNWIND $repeated AS row
  MATCH ()-[a:ASSOCIATED {id: row.id}]->()
  USING INDEX SEEK a:ASSOCIATED(id)
  WHERE a.memory = $memory
  WITH a, row, a.records + [x IN row.records WHERE NOT x IN a.records] AS records
  SET a.weight = a.weight + $reinforcement * (1 - a.weight / $weight_max),
      a.count = a.count + 1,
      a.confidence = CASE WHEN row.confidence IS NULL THEN null
                          WHEN row.confidence > a.confidence THEN row.confidence ELSE a.confidence END,
      a.last_turn = CASE WHEN $turn > a.last_turn THEN $turn ELSE a.last_turn END,
      a.records = CASE WHEN size(records) <= $provenance THEN records
                       ELSE records[..1] + records[(1 - $provenance)..] END
  RETURN count(a) AS repeated
}
CALL () {
  UNWIND $superseded AS row
  MATCH ()-[a:ASSOCIATED {id: row.id}]->()
  USING INDEX SEEK a:ASSOCIATED(id)
  WHERE a.memory = $memory
  SET a.superseded_turn = $turn, a.superseded_by = row.by
  RETURN count(a) AS superseded
}
CALL () {
  UNWIND $contested AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(id)
  WHERE a.memory = $memory
  SET a.contested_turn = CASE WHEN a.contested THEN a.contested_turn ELSE $turn END, a.contested = true
  RETURN count(a) AS contested
}
CALL () {
  MATCH (r:Record {memory: $memory, id: $reply})
  USING INDEX SEEK r:Record(memory, id)
  SET r.associations = r.associations + [x IN $taken_up WHERE NOT x IN r.associations]
  RETURN count(r) AS taken_up
}
RETURN created, repeated, superseded, contested, taken_up
