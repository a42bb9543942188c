// Forget the vectors of texts that no note holds any more: something was forgotten, and any text may speak of it.
MATCH (v:NoteVector)
USING INDEX SEEK v:NoteVector(memory, used)
WHERE v.memory = $memory AND v.used > 0
DELETE v
RETURN count(*) AS cleared
