// Provenance of facts: the first and latest records that stated each, with their words.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (s:Concept)-[a:ASSOCIATED]->(t:Concept)
WHERE s.memory = $memory AND a.implied IS NULL
UNWIND a.records AS id
MATCH (r:Record {memory: $memory, id: id})
RETURN s.label + ' ' + CASE WHEN a.negated THEN 'NOT ' ELSE '' END + a.relation + ' ' + t.label AS fact,
       r.turn AS turn, r.speaker AS speaker, r.role AS role, coalesce(r.verbatim, r.text) AS text
ORDER BY a.last_turn DESC, fact, turn
LIMIT 100
