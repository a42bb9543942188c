// Lock the memory (its writers are serial from here to the commit) and read its clock.
// $memory, $turn_id, $record_id → one row; `seen` is the turn number if this turn was written before.
MATCH (m:Memory {name: $memory})
SET m.lock = $turn_id
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
OPTIONAL MATCH (seen:Record {memory: $memory, id: $record_id})
USING INDEX SEEK seen:Record(memory, id)
RETURN m.turn AS clock, m.open_turn AS open_turn, m.last_reply AS last_reply, seen.turn AS seen,
       seen.surprise AS surprise, seen.extraction AS extraction
