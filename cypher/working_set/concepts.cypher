// One page of a memory's concepts, by id, as parallel arrays. $after: the id before the page; $page: concepts.
// `vectors`: -1 in place of one that is not there. $vectors: whether all are wanted, or only those that no index has yet (0 in
// place of others).
MATCH (c:Concept)
USING INDEX SEEK c:Concept(memory, id)
WHERE c.memory = $memory AND c.id > $after
WITH c ORDER BY c.memory, c.id LIMIT $page
RETURN collect(c.id) AS ids, collect(coalesce(c.label, '')) AS labels, collect(coalesce(c.label_key, '')) AS keys,
       collect(coalesce(c.kind, '')) AS kinds,
       collect(coalesce(c.aliases, [])) AS aliases, collect(coalesce(c.mentions, 0)) AS mentions,
       collect(coalesce(c.activation, 0.0)) AS activation, collect(coalesce(c.strength, 0.0)) AS strength,
       collect(CASE WHEN $vectors OR c:Unindexed
                    THEN coalesce(c.vector_bytes, vector(c.embedding, size(c.embedding), FLOAT32), -1)
                    WHEN c.embedding IS NULL THEN -1 ELSE 0 END)
         AS vectors
