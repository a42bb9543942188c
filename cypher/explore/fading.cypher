// Concepts that will be pruned if nobody mentions them: not active, weak, not mentioned for 50 turns.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (m:Memory {name: $memory})
MATCH (c:Concept)
WHERE c.memory = $memory AND c.activation = 0 AND c.strength < 0.05 AND NOT c.fixed AND c.last_turn <= m.turn - 50
RETURN c.label AS concept, c.kind AS kind, c.mentions AS mentions, m.turn - c.last_turn AS turns_ago,
       round(c.strength, 3) AS strength, COUNT { (c)-[:ASSOCIATED]-() } AS facts
ORDER BY mentions, turns_ago DESC
LIMIT 100
