// Entries of the memory's contract, newest first: who claims what, and what became of it.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (e:Entry)
WHERE e.memory = $memory AND e.seq > 0
RETURN e.seq AS place, e.at AS at, e.ia_author AS author, e.entry_type AS type, e.field_key AS key, e.text AS value,
       e.confidence AS confidence, CASE
         WHEN e.erased_at IS NOT NULL THEN 'erased'
         WHEN EXISTS { (:Entry)-[:SUPERSEDES]->(e) } THEN 'superseded'
         WHEN EXISTS { (e)-[:CONTRADICTS]-(:Entry) } THEN 'contradicted'
         ELSE 'current'
       END AS state
ORDER BY place DESC
LIMIT 100
