// Some coincidences of a memory that is being imported. $rows: [{source, target, properties}]
MATCH (m:Memory {name: $memory, importing: $token})
SET m.lock = $token
WITH m
UNWIND $rows AS row
MATCH (a:Concept {memory: $memory, id: row.source}), (b:Concept {memory: $memory, id: row.target})
CREATE (a)-[x:COINCIDED]->(b)
SET x = row.properties, x.memory = $memory
RETURN count(x) AS written
