// The current associations up to two hops around a concept, as a graph.
// Paste into Neo4j Browser after   :param memory => 'demo'
// and   :param concept => 'Ana'   (a label, in any case, or an alias)
MATCH path = (c:Concept)-[:ASSOCIATED]-{1,2}(:Concept)
WHERE c.memory = $memory
  AND (c.label_key = toLower($concept) OR any(alias IN c.aliases WHERE toLower(alias) = toLower($concept)))
  AND all(a IN relationships(path) WHERE a.superseded_turn IS NULL)
RETURN path
ORDER BY length(path), reduce(weight = 0.0, a IN relationships(path) | weight - a.weight)
LIMIT 120
