// Some records of a memory that is being imported. $rows: [{properties, embedding}]
MATCH (m:Memory {name: $memory, importing: $token})
SET m.lock = $token
WITH m
UNWIND $rows AS row
CREATE (r:Record:Episode:Unindexed)
SET r = row.properties,
    r.embedding = toFloatList(row.embedding.floats), r.vector_bytes = row.embedding.bytes,
    r.memory = $memory, r.memory_key = $memory_key
RETURN count(r) AS written
