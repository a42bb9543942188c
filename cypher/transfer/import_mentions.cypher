// Some mentions of a memory that is being imported. $rows: [{record, concept, properties}]
MATCH (m:Memory {name: $memory, importing: $token})
SET m.lock = $token
WITH m
UNWIND $rows AS row
MATCH (r:Record {memory: $memory, id: row.record}), (c:Concept {memory: $memory, id: row.concept})
CREATE (r)-[x:MENTIONS]->(c)
SET x = row.properties
RETURN count(x) AS written
