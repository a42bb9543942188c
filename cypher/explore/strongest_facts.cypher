// The strongest facts that hold now, as a graph: the more often stated and used together, the heavier.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (s:Concept)-[a:ASSOCIATED]->(t:Concept)
WHERE s.memory = $memory AND a.superseded_turn IS NULL AND a.implied IS NULL
RETURN s, a, t
ORDER BY a.weight DESC, a.last_turn DESC
LIMIT 60
