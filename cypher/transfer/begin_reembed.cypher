// Close the memory to everything else while its vectors are of two models.
MATCH (m:Memory {name: $memory})
WHERE m.deleting IS NULL AND m.importing IS NULL
SET m.reembedding = $model
RETURN m.name AS name
