// Associations for pairs that recurred. $rows: [{source, target, properties}]
UNWIND $rows AS row
MATCH (s:Concept {memory: $memory, id: row.source}), (t:Concept {memory: $memory, id: row.target})
MERGE (s)-[e:ASSOCIATED {id: row.properties.id}]->(t)
ON CREATE SET e += row.properties
RETURN count(e) AS promoted
