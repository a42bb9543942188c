// Write back what a spread changed. $rows: [[id, activation]]
UNWIND $rows AS row
MATCH (c:Concept {memory: $memory, id: row[0]})
USING INDEX SEEK c:Concept(memory, id)
SET c.activation = row[1]
RETURN count(c) AS concepts
