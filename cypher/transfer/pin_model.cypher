// Pin the memory to its new model and open it again; what stands on the old vectors is made again.
MATCH (m:Memory {name: $memory})
SET m.embedding_model = $model,
    m.entry_epoch = CASE WHEN m.chain IS NULL THEN null ELSE coalesce(m.entry_epoch, 0) + 1 END,
    m.digested = null
REMOVE m.reembedding
WITH m
OPTIONAL MATCH (w:Workspace {memory: $memory})
SET w.model = $model
RETURN m.name AS name
