// One episode, the concepts it mentions, and their pulse. Runs once a turn, under the memory's lock.
// `heard_at`, by the server's clock, tells workers how long nobody has spoken; the memory itself never asks it.
// $opens: false when a turn that was kept without concepts is extracted again ($amended: what that changes).
// What a "remember" changes of a concept, the mention keeps, so that the turn can be taken back.
// $record: properties; $vector: its embedding; $concepts: [{id, created, kind | null, mention, pulse, strength, turn, vector}]
MATCH (m:Memory {name: $memory})
SET m.open_turn = CASE WHEN $opens THEN $record.turn_id ELSE m.open_turn END, m.heard_at = datetime()
MERGE (r:Record {memory: $memory, id: $record.id})
ON CREATE SET r:Episode, r += $record, r.embedding = toFloatList($vector), r.created_at = datetime()
ON MATCH SET r += $amended, r.embedding = toFloatList($vector)
WITH r
UNWIND $concepts AS row
MERGE (c:Concept {memory: $memory, id: row.id})
ON CREATE SET c += row.created, c.embedding = toFloatList(row.vector), c.created_at = datetime()
WITH r, row, c, c.strength AS strength, c.fixed AS fixed
SET c.activation = c.activation + row.pulse,
    c.kind = coalesce(row.kind, c.kind),
    c.mentions = c.mentions + 1,
    c.last_turn = CASE WHEN row.turn > c.last_turn THEN row.turn ELSE c.last_turn END,
    c.strength = CASE WHEN row.strength > c.strength THEN row.strength ELSE c.strength END,
    c.fixed = c.fixed OR row.strength > 0
MERGE (r)-[s:MENTIONS]->(c)
ON CREATE SET s += row.mention,
              s.strength_before = CASE WHEN row.strength > strength THEN strength END,
              s.fixed_before = CASE WHEN row.strength > 0 AND NOT fixed THEN false END
RETURN count(c) AS concepts
