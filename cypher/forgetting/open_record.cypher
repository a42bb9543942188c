// The record of the turn that is open, if one is; the clock. No row if the memory takes no writes now, or there is none.
MATCH (m:Memory {name: $memory})
SET m.lock = 'forget'
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
OPTIONAL MATCH (r:Record {memory: $memory, turn: m.turn + 1, role: 'user'})
WHERE r.turn_id = m.open_turn
RETURN m.turn AS clock, m.open_turn AS open_turn, r.id AS record
