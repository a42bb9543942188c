// The end of a turn: the assistant's words, activation and exposure, learned weights, testing effect, clock.
// $replies: [{record, vector}], none or one: an episode, searchable, that pulses nothing and states nothing.
// $concepts: [[id, activation]] of what stays lit; $dark: [id] of what goes out; $weights: [[association id, weight]];
// $injected: [concept id]; $clock, $acknowledged
// It numbers the change as storage/raise_version does, if $numbers: $kept, $marks
CALL () {
  UNWIND $replies AS row
  MERGE (r:Record {memory: $memory, id: row.record.id})
  ON CREATE SET r:Episode:Unindexed, r += row.record, r.embedding = toFloatList(row.vector), r.created_at = datetime()
  RETURN count(r) AS replies
}
CALL () {
  UNWIND $concepts AS row
  MATCH (c:Concept {memory: $memory, id: row[0]})
  USING INDEX SEEK c:Concept(memory, id)
  SET c.activation = row[1], c.exposure = c.exposure + row[1]
  RETURN count(c) AS concepts
}
CALL () {
  UNWIND $dark AS id
  MATCH (c:Concept {memory: $memory, id: id})
  USING INDEX SEEK c:Concept(memory, id)
  SET c.activation = 0.0
  RETURN count(c) AS dark
}
CALL () {
  UNWIND $weights AS row
  MATCH ()-[a:ASSOCIATED {id: row[0]}]->()
  USING INDEX SEEK a:ASSOCIATED(id)
  WHERE a.memory = $memory
  SET a.weight = row[1]
  RETURN count(a) AS weights
}
CALL () {
  UNWIND $injected AS id
  MATCH (c:Concept {memory: $memory, id: id})
  USING INDEX SEEK c:Concept(memory, id)
  SET c.strength = c.strength + $testing * (1 - c.strength)
  RETURN count(c) AS injected
}
MATCH (m:Memory {name: $memory})
SET m.turn = $clock,
    m.open_turn = CASE WHEN $closes THEN null ELSE m.open_turn END,
    m.last_reply = CASE WHEN $closes THEN $reply_id ELSE m.last_reply END,
    m.dim = CASE WHEN $closes THEN null ELSE m.dim END,
    m.dim_activation = CASE WHEN $closes THEN null ELSE m.dim_activation END
CALL (m) {
  WITH m, coalesce(m.version, 0) + 1 AS version, coalesce(m.stamp, '') AS before WHERE $numbers
  SET m.version = version, m.stamp = randomUUID(), m.gate = 0,
      m['touched_' + toString(version % $kept)] = [before] + $marks
}
WITH m
OPTIONAL MATCH (r:Record {memory: $memory, id: $record_id})
USING INDEX SEEK r:Record(memory, id)
SET r.acknowledged = r.acknowledged OR $acknowledged
RETURN m.version AS version, m.stamp AS stamp
