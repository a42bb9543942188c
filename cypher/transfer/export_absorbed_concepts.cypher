// One page of the concepts that merges absorbed, by id. $after: the key of the page's predecessor; $page: rows.
MATCH (c:Merged)
WHERE c.memory = $memory AND c.id > $after[0]
WITH c ORDER BY c.id LIMIT $page
RETURN [c.id] AS key, c {.*, embedding: null, vector_bytes: null} AS properties, vector(c.embedding, $dimensions, FLOAT32) AS embedding
