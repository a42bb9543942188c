// First in every transaction that writes notes: lock the memory. No row if it takes no writes now. $token: any text
MATCH (m:Memory {name: $memory})
SET m.lock = $token
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
RETURN m.turn AS clock
