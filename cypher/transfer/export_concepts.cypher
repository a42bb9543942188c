// One page of a memory's concepts, by id, without what notes of a workspace count. $after: the key of the page's predecessor; $page: rows.
MATCH (c:Concept)
WHERE c.memory = $memory AND c.id > $after[0]
WITH c ORDER BY c.id LIMIT $page
WITH c, c.mentions - COUNT { (c)<-[:MENTIONS]-(:Note) } AS mentions
RETURN [c.id] AS key, c {.*, embedding: null, vector_bytes: null, mentions: CASE WHEN mentions > 0 THEN mentions ELSE 0 END} AS properties,
       vector(c.embedding, $dimensions, FLOAT32) AS embedding
