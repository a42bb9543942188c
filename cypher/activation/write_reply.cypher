// The assistant's words: an episode, searchable, that pulses nothing and states nothing.
MERGE (r:Record {memory: $memory, id: $record.id})
ON CREATE SET r:Episode, r += $record, r.embedding = toFloatList($vector), r.created_at = datetime()
RETURN r.id AS id
