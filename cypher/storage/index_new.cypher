// What was written of a memory joins the vector and full-text indexes, $most of it; how much did. Under the memory's
// lock, so that it waits for a turn rather than meet one. $token: any.
MATCH (m:Memory {name: $memory})
SET m.lock = $token
WITH m
MATCH (n:Unindexed)
USING INDEX SEEK n:Unindexed(memory)
WHERE n.memory = m.name
WITH n LIMIT $most
REMOVE n:Unindexed
FOREACH (_ IN CASE WHEN n:Concept THEN [1] ELSE [] END | SET n:IndexedConcept)
FOREACH (_ IN CASE WHEN n:Record THEN [1] ELSE [] END | SET n:IndexedRecord)
RETURN count(n) AS indexed
