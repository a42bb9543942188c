// One page of a memory's records, in the order they were said. $after: the key of the page's predecessor; $page: rows.
MATCH (r:Record)
WHERE r.memory = $memory AND r.turn >= $after[0]
WITH r, [r.turn, r.turn_id, r.role] AS key
WHERE key > $after
WITH r, key ORDER BY key LIMIT $page
RETURN key, r {.*, embedding: null, vector_bytes: null} AS properties, vector(r.embedding, $dimensions, FLOAT32) AS embedding
