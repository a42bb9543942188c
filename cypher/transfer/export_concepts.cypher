// One page of a memory's concepts, by id. $after: the key of the page's predecessor; $page: rows.
MATCH (c:Concept)
WHERE c.memory = $memory AND c.id > $after[0]
WITH c ORDER BY c.id LIMIT $page
RETURN [c.id] AS key, c {.*, embedding: null} AS properties, vector(c.embedding, $dimensions, FLOAT32) AS embedding
