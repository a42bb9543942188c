// Lock the memory for a change of its concepts; the last turn that was heard, an open one included. $by: who, for people.
// No row if there is no such memory, or it is unusable now.
MATCH (m:Memory {name: $memory})
SET m.lock = $by
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
RETURN m.turn + CASE WHEN m.open_turn IS NULL THEN 0 ELSE 1 END AS heard
