// Pin the memory to its new model and open it again.
MATCH (m:Memory {name: $memory})
SET m.embedding_model = $model
REMOVE m.reembedding
RETURN m.name AS name
