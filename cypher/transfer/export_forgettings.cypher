// One page of the audit lines of what a memory forgot, by id. $after: the key of the page's predecessor; $page: rows.
MATCH (n:Forgetting)
WHERE n.memory = $memory AND n.id > $after[0]
WITH n ORDER BY n.id LIMIT $page
RETURN [n.id] AS key, properties(n) AS properties
