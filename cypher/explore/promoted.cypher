// Associations that sleep made of concepts mentioned together in several turns.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (a:Concept)-[e:ASSOCIATED {class: 'goes with'}]->(b:Concept)
WHERE a.memory = $memory AND e.consolidated
RETURN a.label AS one, b.label AS other, e.count AS turns_together, round(e.weight, 3) AS weight, e.first_turn AS promoted,
       e.last_turn AS last_together
ORDER BY weight DESC, one, other
LIMIT 100
