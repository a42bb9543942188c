// Close the memory to everything else while its vectors are of two models.
MATCH (m:Memory {name: $memory})
SET m.reembedding = $model
RETURN m.name AS name
