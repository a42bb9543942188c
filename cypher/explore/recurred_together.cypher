// What recurs together although nobody stated a relation: sleep promotes the pairs at the top.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (a:Concept)-[c:COINCIDED]->(b:Concept)
WHERE a.memory = $memory AND c.count > 1
RETURN a, c, b
ORDER BY c.count DESC, c.last_turn DESC
LIMIT 60
