// Create a memory, or read the one that exists (with the embedding model it is pinned to).
MERGE (m:Memory {name: $memory})
ON CREATE SET m.turn = 0, m.embedding_model = $model, m.dimensions = $dimensions, m.memory_key = $memory_key,
              m.created_at = datetime()
RETURN m.turn AS turn, m.embedding_model AS model
