// Superseded facts, what replaced each, and the words that did.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (s:Concept)-[old:ASSOCIATED]->(was:Concept)
WHERE s.memory = $memory AND old.superseded_turn IS NOT NULL
OPTIONAL MATCH (s)-[new:ASSOCIATED]->(now:Concept)
WHERE new.id = old.superseded_by AND new.memory = $memory
OPTIONAL MATCH (r:Record)
WHERE r.memory = $memory AND r.turn = old.superseded_turn AND r.role = 'user'
RETURN s.label AS source, CASE WHEN old.negated THEN 'NOT ' ELSE '' END + old.relation AS relation, was.label AS was,
       old.first_turn AS from_turn, old.superseded_turn AS to_turn,
       CASE WHEN new.negated THEN 'NOT ' ELSE '' END + new.relation AS new_relation, now.label AS now,
       coalesce(r.verbatim, r.text) AS said
ORDER BY source, relation, from_turn
