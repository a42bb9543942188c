// New vectors for some concepts. $rows: [{id, vector}]
UNWIND $rows AS row
MATCH (n:Concept {memory: $memory, id: row.id})
SET n.embedding = toFloatList(row.vector), n.reembedded = true
RETURN count(n) AS written
