// What was forgotten on request: when, by whom and how much. What it was is not stored.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (f:Forgetting)
WHERE f.memory = $memory
RETURN toString(f.at) AS at, f.turn AS turn, f.by AS by, f.state AS state, f.concepts AS concepts,
       f.associations AS associations, f.records AS records, f.gists AS gists, f.coincidences AS coincidences,
       f.merges AS merges, f.id AS id
ORDER BY at DESC
LIMIT 100
