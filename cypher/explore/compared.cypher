// Pairs of concepts that sleep compared and did not merge: judged apart, or still doubtful.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (a:Concept)-[k:COMPARED]->(b:Concept)
WHERE a.memory = $memory
RETURN a.label AS one, b.label AS other, k.verdict AS verdict, k.by AS by, k.method AS method, round(k.score, 3) AS score,
       k.turn AS turn
ORDER BY verdict DESC, score DESC
LIMIT 100
