// The end of a turn: the assistant's words, activation and exposure, learned weights, testing effect, clock.
// $replies: [{record, vector}], none or one: an episode, searchable, that pulses nothing and states nothing.
// $concepts: [[id, activation]] of what stays lit; $dark: [id] of what goes out; $weights: [[association id, weight]];
// $injected: [concept id]; $clock, $acknowledged
// $presumed: nobody has looked whether the memory is as the numbers presume, so nothing is written, and no row returned,
// unless $stamp is that of its last change, it can be used now, a turn is open if one is to end ($closes), nobody has closed
// the turn ($record_id, if somebody closes it) yet, it asked to forget nothing, and its reply ($reply_id) is neither here nor
// forgotten ($reply_tombstone).
// It numbers the change as storage/raise_version does, if $numbers: $kept, $marks
MATCH (m:Memory {name: $memory})
SET m.lock = $memory
WITH m
OPTIONAL MATCH (r:Record {memory: $memory, id: $record_id})
USING INDEX SEEK r:Record(memory, id)
WITH m, r WHERE NOT $presumed OR (
  m.stamp = $stamp AND m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
  AND m.turn = CASE WHEN $closes THEN $clock - 1 ELSE $clock END AND (m.open_turn IS NOT NULL OR NOT $closes)
  AND ($record_id IS NULL OR r IS NOT NULL AND NOT coalesce(r.acknowledged, false) AND NOT coalesce(r.forgot, false))
  AND NOT EXISTS { MATCH (reply:Record {memory: $memory, id: $reply_id}) USING INDEX SEEK reply:Record(memory, id) }
  AND NOT EXISTS {
    MATCH (f:Forgetting) USING INDEX SEEK f:Forgetting(memory) WHERE f.memory = $memory AND $reply_tombstone IN f.gone
  }
)
SET r.acknowledged = r.acknowledged OR $acknowledged
WITH m
CALL () {
  UNWIND $replies AS row
  MERGE (r:Record {memory: $memory, id: row.record.id})
  ON CREATE SET r:Episode:Unindexed, r += row.record,
                r.embedding = toFloatList(row.vector.floats), r.vector_bytes = row.vector.bytes,
                r.created_at = datetime()
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
  USING INDEX SEEK a:ASSOCIATED(memory, id)
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
RETURN m.version AS version, m.stamp AS stamp
