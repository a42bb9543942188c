// Every node of a memory, whatever its label, with all its properties: for a checksum. $dimensions: of vectors.
MATCH (n)
WHERE n.memory = $memory OR (n:Memory AND n.name = $memory)
RETURN elementId(n) AS element, labels(n) AS labels, n {.*, embedding: null, vector_bytes: null} AS properties,
       CASE WHEN n.embedding IS NULL THEN NULL ELSE vector(n.embedding, $dimensions, FLOAT32) END AS embedding
