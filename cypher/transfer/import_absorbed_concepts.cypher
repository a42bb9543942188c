// Some concepts that merges absorbed, of a memory that is being imported. $rows: [{properties, embedding}]
MATCH (m:Memory {name: $memory, importing: $token})
SET m.lock = $token
WITH m
UNWIND $rows AS row
CREATE (c:Merged)
SET c = row.properties,
    c.embedding = toFloatList(row.embedding.floats), c.vector_bytes = row.embedding.bytes,
    c.memory = $memory, c.memory_key = $memory_key
RETURN count(c) AS written
