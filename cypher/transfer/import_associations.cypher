// Some associations of a memory that is being imported. $rows: [{source, target, properties}]
MATCH (m:Memory {name: $memory, importing: $token})
SET m.lock = $token
WITH m
UNWIND $rows AS row
MATCH (s:Concept {memory: $memory, id: row.source}), (t:Concept {memory: $memory, id: row.target})
CREATE (s)-[a:ASSOCIATED]->(t)
SET a = row.properties, a.memory = $memory
RETURN count(a) AS written
