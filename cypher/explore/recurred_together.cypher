// Concepts mentioned together without a stated relation. Sleep promotes the most frequent pairs.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (a:Concept)-[c:COINCIDED]->(b:Concept)
WHERE a.memory = $memory AND c.count > 1
RETURN a, c, b
ORDER BY c.count DESC, c.last_turn DESC
LIMIT 60
