// The concepts that are active now, the most active first.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (c:Concept)
WHERE c.memory = $memory AND c.activation > 0
RETURN c.label AS concept, c.kind AS kind, round(c.activation, 3) AS activation, round(c.strength, 3) AS strength,
       c.last_turn AS last_turn
ORDER BY activation DESC, concept
LIMIT 50
