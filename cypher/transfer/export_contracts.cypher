// One page of the contracts of a memory, the first one first. $after: the number of the page's predecessor; $page: rows.
MATCH (c:Contract)
USING INDEX SEEK c:Contract(memory, number)
WHERE c.memory = $memory AND c.number > $after[0]
WITH c, [c.number] AS key ORDER BY key LIMIT $page
RETURN key, properties(c) AS properties
