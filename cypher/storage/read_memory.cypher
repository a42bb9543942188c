// One memory's own properties and its protagonists; no row if there is none.
MATCH (m:Memory {name: $memory})
OPTIONAL MATCH (c:Concept {memory: $memory, kind: 'self'})
WHERE c.label_key IS NOT NULL
WITH m, c ORDER BY c.first_turn, c.label_key
RETURN m.turn AS turn, m.embedding_model AS model, m.dimensions AS dimensions, toStringOrNull(m.created_at) AS created_at,
       m.open_turn AS open_turn, CASE
         WHEN m.deleting THEN 'deleting'
         WHEN m.importing IS NOT NULL THEN 'importing'
         WHEN m.reembedding IS NOT NULL THEN 'reembedding'
       END AS state, collect(c.label) AS protagonists
