// New vectors for some records. $rows: [{id, vector, words | null}]
UNWIND $rows AS row
MATCH (n:Record {memory: $memory, id: row.id})
SET n.embedding = toFloatList(row.vector.floats), n.vector_bytes = row.vector.bytes, n.words = row.words, n.reembedded = true
// By which a note's vector is found again: it names the model. Its passages have vectors of the former one.
REMOVE n.text_key, n.passages
RETURN count(n) AS written
