// One page of a memory's chain of entries. $after: the place of the page's predecessor; $page: rows; $dimensions: of vectors.
// `contradicts` is [[id, cosine, reason]].
MATCH (e:Entry)
USING INDEX SEEK e:Entry(memory, seq)
WHERE e.memory = $memory AND e.seq > $after[0]
WITH e ORDER BY e.memory, e.seq LIMIT $page
WITH e, [e.seq] AS key ORDER BY key
RETURN key, e {.*, embedding: null, vector_bytes: null} AS properties, vector(e.embedding, $dimensions, FLOAT32) AS embedding,
       COLLECT { MATCH (e)-[c:CONTRADICTS]->(o:Entry) RETURN [o.id, c.cosine, c.reason] ORDER BY o.seq } AS contradicts
