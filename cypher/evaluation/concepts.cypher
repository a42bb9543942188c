// All concepts of a memory, by id. $dimensions: of vectors.
MATCH (c:Concept)
WHERE c.memory = $memory
WITH c ORDER BY c.id
RETURN c.id AS id, c.label AS label, c.kind AS kind, c.activation AS activation, c.mentions AS mentions,
       CASE WHEN c.embedding IS NULL THEN NULL ELSE vector(c.embedding, $dimensions, FLOAT32) END AS embedding
