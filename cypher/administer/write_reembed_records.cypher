// New vectors for some records. $rows: [{id, vector}]
UNWIND $rows AS row
MATCH (n:Record {memory: $memory, id: row.id})
SET n.embedding = toFloatList(row.vector), n.reembedded = true
RETURN count(n) AS written
