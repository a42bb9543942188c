// One page of what the coincidences of absorbed concepts were, by their two ends and merge.
// $after: the key of the page's predecessor; $page: rows.
MATCH (s:Concept|Merged)-[x:WAS_COINCIDED]->(t)
WHERE s.memory = $memory AND s.id >= $after[0]
WITH s, x, t, [s.id, t.id, x.merge] AS key
WHERE key > $after
WITH s, x, t, key ORDER BY key LIMIT $page
RETURN key, s.id AS source, t.id AS target, properties(x) AS properties
