// New vectors for some records. $rows: [{id, vector, words | null}]
UNWIND $rows AS row
MATCH (n:Record {memory: $memory, id: row.id})
SET n.embedding = toFloatList(row.vector), n.words = row.words, n.reembedded = true
RETURN count(n) AS written
