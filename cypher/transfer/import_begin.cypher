// Reserve a name for an import. While `importing` is set, $unfinished, in place of its
// embedding model, keeps every graph from opening it. A later import of the same name takes an unfinished one over.
// One row; `ours` is false when there is a memory of that name already.
MERGE (m:Memory {name: $memory})
ON CREATE SET m.importing = $token, m.embedding_model = $unfinished, m.turn = 0, m.created_at = datetime()
SET m.importing = CASE WHEN m.importing IS NULL THEN null ELSE $token END
RETURN m.importing IS NOT NULL AS ours
