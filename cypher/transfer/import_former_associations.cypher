// Some associations of absorbed concepts of a memory that is being imported. $rows: [{source, target, properties}]
MATCH (m:Memory {name: $memory, importing: $token})
SET m.lock = $token
WITH m
UNWIND $rows AS row
MATCH (s:Concept|Merged {memory: $memory, id: row.source}), (t:Concept|Merged {memory: $memory, id: row.target})
CREATE (s)-[x:WAS_ASSOCIATED]->(t)
SET x = row.properties, x.memory = $memory
RETURN count(x) AS written
