// Contested facts: a correction could have replaced any of them, so all are kept.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (s:Concept)-[a:ASSOCIATED]->(t:Concept)
WHERE s.memory = $memory AND a.contested AND a.superseded_turn IS NULL
RETURN s.label AS source, a.relation AS relation, t.label AS target, a.stated_at AS stated_at, a.first_turn AS turn
ORDER BY source, relation, turn DESC
