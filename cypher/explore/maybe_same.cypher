// Names that may mean the same ("Ana" / "Ana Ruiz"): two concepts with a weak link until sleep judges them.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (a:Concept)-[link:ASSOCIATED {class: 'maybe same'}]->(b:Concept)
WHERE a.memory = $memory
RETURN a, link, b
ORDER BY a.label, b.label
LIMIT 100
