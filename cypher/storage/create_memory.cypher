// Create a memory, pinned to an embedding model, if there is none; `stamp` is $stamp if it was made here.
MERGE (m:Memory {name: $memory})
ON CREATE SET m.turn = 0, m.embedding_model = $model, m.dimensions = $dimensions, m.memory_key = $memory_key,
              m.created_at = datetime(), m.version = 1, m.stamp = $stamp
RETURN m.stamp AS stamp, toStringOrNull(m.created_at) AS created_at
