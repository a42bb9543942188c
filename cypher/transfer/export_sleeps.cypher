// One page of the run records of a memory's sleeps, by turn. $after: the key of the page's predecessor; $page: rows.
MATCH (n:Sleep)
WHERE n.memory = $memory AND n.turn > $after[0]
WITH n ORDER BY n.turn LIMIT $page
RETURN [n.turn] AS key, properties(n) AS properties
