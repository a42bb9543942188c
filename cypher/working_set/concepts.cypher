// One page of a memory's concepts, by id, as parallel arrays. $after: the id before the page; $page: concepts.
// $dimensions: of each vector (-1 without one); $vectors: whether all are wanted, or only
// those that no index has yet (0 in place of others).
MATCH (c:Concept)
USING INDEX SEEK c:Concept(memory, id)
WHERE c.memory = $memory AND c.id > $after
WITH c ORDER BY c.memory, c.id LIMIT $page
RETURN collect(c.id) AS ids, collect(coalesce(c.label, '')) AS labels, collect(coalesce(c.label_key, '')) AS keys,
       collect(coalesce(c.kind, '')) AS kinds,
       collect(coalesce(c.aliases, [])) AS aliases, collect(coalesce(c.mentions, 0)) AS mentions,
       collect(coalesce(c.activation, 0.0)) AS activation, collect(coalesce(c.strength, 0.0)) AS strength,
       collect(CASE WHEN c.embedding IS NULL THEN -1 WHEN $vectors OR c:Unindexed THEN vector(c.embedding, $dimensions, FLOAT32) ELSE 0 END)
         AS vectors
