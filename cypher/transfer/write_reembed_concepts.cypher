// New vectors for some concepts, absorbed ones included. $rows: [{id, vector}]
UNWIND $rows AS row
MATCH (n:Concept|Merged {memory: $memory, id: row.id})
SET n.embedding = toFloatList(row.vector.floats), n.vector_bytes = row.vector.bytes, n.reembedded = true
RETURN count(n) AS written
