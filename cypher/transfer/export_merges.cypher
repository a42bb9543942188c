// One page of a memory's merges, by absorbed concept. $after: the key of the page's predecessor; $page: rows.
MATCH (b:Merged)-[x:MERGED_INTO]->(a)
WHERE b.memory = $memory AND b.id >= $after[0]
WITH b, x, a, [b.id, x.id] AS key
WHERE key > $after
WITH b, x, a, key ORDER BY key LIMIT $page
RETURN key, b.id AS source, a.id AS target, properties(x) AS properties
