// One page of a memory's checkpoints, the first one first. $after: the number of the page's predecessor; $page: rows.
MATCH (c:Checkpoint)
USING INDEX SEEK c:Checkpoint(memory, number)
WHERE c.memory = $memory AND c.number > $after[0]
WITH c, [c.number] AS key ORDER BY key LIMIT $page
RETURN key, properties(c) AS properties
