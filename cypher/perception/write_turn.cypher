// All that a turn writes, once, under the memory's lock: its episode, the concepts it mentions, what it states, what was
// mentioned together, and the activation after pulse and spread. The numbers were computed beside the working set.
// `heard_at`, by the server's clock, tells workers how long nobody has spoken; the memory itself never asks it.
// $opens: false when a turn that was kept without concepts is extracted again ($amended: what that changes).
// What a "remember" changes of a concept, or that somebody known speaks now, the mention keeps, so that the turn can be
// taken back; what saying it again changes of an association's confidence, the association keeps.
// $turn: its number; $record: properties; $vector: its embedding; $concepts: [{id, created, kind | null, mention, strength, turn, vector}]
// $created: [{source, target, properties}], each id once; $repeated: [{id, weight, last_turn, confidence, confidence_before | null, records}]
// $superseded: [{id, by}]; $contested: [id]; $reply, $taken_up: the assistant's record whose words are taken up, and the
// association ids that it gets for it; $pairs: [[id, id]] with the smaller id first, so that a pair has one relationship
// $activation: [[id, activation]]; $dim: ids and activations of what is lit too faintly to outlast the turn: it is lit
// for recall and for the end of the turn, but no node is written for it.
// $ended: {concepts, dark, weights} as of activation/write_close: a turn is open, and this statement ends it first, without a
// reply; null where none is.
// $presumed: nobody has looked whether the memory is as the numbers presume, so nothing is written, and no row returned,
// unless $stamp is that of its last change, it can be used now, no turn is open that does not end here, and this one is the
// next, and neither here nor forgotten ($tombstone).
// Last it numbers the change as storage/raise_version does, if $numbers: $kept, $marks
MATCH (m:Memory {name: $memory})
SET m.lock = $record.turn_id
WITH m WHERE NOT $presumed OR (
  m.stamp = $stamp AND m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
  AND m.turn = $turn - CASE WHEN $ended IS NULL THEN 1 ELSE 2 END AND (m.open_turn IS NULL) = ($ended IS NULL)
  AND NOT EXISTS { MATCH (r:Record {memory: $memory, id: $record.id}) USING INDEX SEEK r:Record(memory, id) }
  AND NOT EXISTS {
    MATCH (f:Forgetting) USING INDEX SEEK f:Forgetting(memory) WHERE f.memory = $memory AND $tombstone IN f.gone
  }
)
SET m.open_turn = CASE WHEN $opens THEN $record.turn_id ELSE m.open_turn END, m.heard_at = datetime(),
    m.dim = CASE WHEN $opens THEN $dim[0] ELSE m.dim END,
    m.dim_activation = CASE WHEN $opens THEN $dim[1] ELSE m.dim_activation END,
    m.turn = CASE WHEN $ended IS NULL THEN m.turn ELSE $turn - 1 END,
    m.last_reply = CASE WHEN $ended IS NULL THEN m.last_reply ELSE null END
WITH m
CALL () {
  UNWIND $ended.concepts AS row
  MATCH (c:Concept {memory: $memory, id: row[0]})
  USING INDEX SEEK c:Concept(memory, id)
  SET c.activation = row[1], c.exposure = c.exposure + row[1]
  RETURN count(c) AS still_lit
}
CALL () {
  UNWIND $ended.dark AS id
  MATCH (c:Concept {memory: $memory, id: id})
  USING INDEX SEEK c:Concept(memory, id)
  SET c.activation = 0.0
  RETURN count(c) AS dark
}
CALL () {
  UNWIND $ended.weights AS row
  MATCH ()-[a:ASSOCIATED {id: row[0]}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  SET a.weight = row[1]
  RETURN count(a) AS learned
}
MERGE (r:Record {memory: $memory, id: $record.id})
ON CREATE SET r:Episode:Unindexed, r += $record,
              r.embedding = toFloatList($vector.floats), r.vector_bytes = $vector.bytes,
              r.created_at = datetime()
ON MATCH SET r += $amended, r.embedding = toFloatList($vector.floats), r.vector_bytes = $vector.bytes
WITH r
CALL (r) {
  UNWIND $concepts AS row
  MERGE (c:Concept {memory: $memory, id: row.id})
  ON CREATE SET c:Unindexed, c += row.created,
                c.embedding = toFloatList(row.vector.floats), c.vector_bytes = row.vector.bytes,
                c.created_at = datetime()
  WITH r, row, c, c.strength AS strength, c.fixed AS fixed, c.kind AS kind
  SET c.kind = coalesce(row.kind, c.kind),
      c.mentions = c.mentions + 1,
      c.last_turn = CASE WHEN row.turn > c.last_turn THEN row.turn ELSE c.last_turn END,
      c.strength = CASE WHEN row.strength > c.strength THEN row.strength ELSE c.strength END,
      c.fixed = c.fixed OR row.strength > 0
  MERGE (r)-[s:MENTIONS]->(c)
  ON CREATE SET s += row.mention,
                s.strength_before = CASE WHEN row.strength > strength THEN strength END,
                s.fixed_before = CASE WHEN row.strength > 0 AND NOT fixed THEN false END,
                s.kind_before = CASE WHEN row.kind <> kind THEN kind END
  RETURN count(c) AS concepts
}
// Not MERGE, which takes no index hint: with some statistics it was planned as a scan of the index of ids.
CALL () {
  UNWIND $created AS row
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
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  SET a.weight = row.weight, a.count = a.count + 1, a.confidence = row.confidence, a.last_turn = row.last_turn,
      a.records = row.records,
      a.confidence_before = coalesce(row.confidence_before, a.confidence_before),
      a.confidence_turn = CASE WHEN row.confidence_before IS NULL THEN a.confidence_turn ELSE $turn END
  RETURN count(a) AS repeated
}
CALL () {
  UNWIND $superseded AS row
  MATCH ()-[a:ASSOCIATED {id: row.id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  SET a.superseded_turn = $turn, a.superseded_by = row.by
  RETURN count(a) AS superseded
}
CALL () {
  UNWIND $contested AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
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
CALL () {
  UNWIND $pairs AS pair
  MATCH (a:Concept {memory: $memory, id: pair[0]}), (b:Concept {memory: $memory, id: pair[1]})
  USING INDEX SEEK a:Concept(memory, id)
  USING INDEX SEEK b:Concept(memory, id)
  MERGE (a)-[c:COINCIDED]->(b)
  ON CREATE SET c.count = 0, c.memory = $memory
  SET c.count = c.count + 1, c.last_turn = CASE WHEN $turn < c.last_turn THEN c.last_turn ELSE $turn END
  RETURN count(c) AS pairs
}
CALL () {
  UNWIND $activation AS row
  MATCH (c:Concept {memory: $memory, id: row[0]})
  USING INDEX SEEK c:Concept(memory, id)
  SET c.activation = row[1]
  RETURN count(c) AS lit
}
MATCH (m:Memory {name: $memory})
CALL (m) {
  WITH m, coalesce(m.version, 0) + 1 AS version, coalesce(m.stamp, '') AS before WHERE $numbers
  SET m.version = version, m.stamp = randomUUID(), m.gate = 0,
      m['touched_' + toString(version % $kept)] = [before] + $marks
}
RETURN m.version AS version, m.stamp AS stamp,
       COUNT { MATCH (f:Forgetting) USING INDEX SEEK f:Forgetting(memory) WHERE f.memory = $memory } AS forgettings
