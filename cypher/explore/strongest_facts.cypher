// The heaviest current facts as a graph. Weight grows when a fact is stated or used again.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (s:Concept)-[a:ASSOCIATED]->(t:Concept)
WHERE s.memory = $memory AND a.superseded_turn IS NULL AND a.implied IS NULL
RETURN s, a, t
ORDER BY a.weight DESC, a.last_turn DESC
LIMIT 60
