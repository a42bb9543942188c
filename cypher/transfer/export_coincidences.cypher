// One page of a memory's coincidences, by their two ends. $after: the key of the page's predecessor; $page: rows.
MATCH (a:Concept)-[x:COINCIDED]->(b:Concept)
WHERE a.memory = $memory AND a.id >= $after[0]
WITH a, x, b, [a.id, b.id] AS key
WHERE key > $after
WITH a, x, b, key ORDER BY key LIMIT $page
RETURN key, a.id AS source, b.id AS target, properties(x) AS properties
