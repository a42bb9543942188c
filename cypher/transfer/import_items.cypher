// Some items of a memory that is being imported. $rows: [{properties}]
MATCH (m:Memory {name: $memory, importing: $token})
SET m.lock = $token
WITH m
UNWIND $rows AS row
CREATE (n:Item)
SET n = row.properties, n.memory = $memory
RETURN count(n) AS written
