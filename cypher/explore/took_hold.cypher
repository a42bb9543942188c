// Concepts by strength, which sleep makes of the activation that they had.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (c:Concept)
WHERE c.memory = $memory AND c.strength > 0
RETURN c.label AS concept, c.kind AS kind, round(c.strength, 3) AS strength, c.fixed AS fixed, c.mentions AS mentions,
       round(c.exposure, 2) AS exposure_since, c.slept AS slept_turn, c.last_turn AS last_turn
ORDER BY strength DESC, concept
LIMIT 100
