// Vectors for records that have none yet; a record that has one keeps it. $rows: [{id, vector, words | null}]
UNWIND $rows AS row
MATCH (r:Record {memory: $memory, id: row.id})
USING INDEX SEEK r:Record(memory, id)
WHERE r.embedding IS NULL
SET r.embedding = toFloatList(row.vector.floats), r.vector_bytes = row.vector.bytes, r.words = row.words
RETURN count(r) AS filled
