// One page of the pairs of concepts that were compared, by their two ends. $after: the key of the page's predecessor;
// $page: rows.
MATCH (s:Concept|Merged)-[x:COMPARED]->(t)
WHERE s.memory = $memory AND s.id >= $after[0]
WITH s, x, t, [s.id, t.id] AS key
WHERE key > $after
WITH s, x, t, key ORDER BY key LIMIT $page
RETURN key, s.id AS source, t.id AS target, properties(x) AS properties
