// Growth of the memory by session: turns, characters, and concepts and facts first mentioned in it.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (r:Record)
WHERE r.memory = $memory
WITH r.session AS session, min(r.turn) AS first, max(r.turn) AS last, min(r.at) AS began, count(*) AS records,
     sum(size(r.text)) AS characters
RETURN session, began, first AS first_turn, last AS last_turn, records, characters,
       COUNT { MATCH (c:Concept) WHERE c.memory = $memory AND c.first_turn >= first AND c.first_turn <= last } AS concepts,
       COUNT {
         MATCH (c:Concept)-[a:ASSOCIATED]->()
         WHERE c.memory = $memory AND a.implied IS NULL AND a.first_turn >= first AND a.first_turn <= last
       } AS facts
ORDER BY first_turn
