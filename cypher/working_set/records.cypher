// One page of a memory's records, by id, as parallel arrays. $after: the id before the page; $page: records.
// $dimensions: of each vector (-1 without one); $vectors: whether they are wanted.
MATCH (r:Record)
USING INDEX SEEK r:Record(memory, id)
WHERE r.memory = $memory AND r.id > $after
WITH r ORDER BY r.memory, r.id LIMIT $page
RETURN collect(r.id) AS ids, collect([r.turn_id, r.turn, r.role, r.speaker, r.session, r.at, r.text]) AS said,
       collect(r.gist_turn IS NOT NULL) AS gists, collect(r.resting IS NOT NULL) AS resting,
       collect(coalesce(r.associations, [])) AS associations,
       collect(COLLECT { MATCH (r)-[:MENTIONS]->(c) RETURN c.id }) AS concepts,
       collect(CASE WHEN r.embedding IS NULL THEN -1 WHEN $vectors THEN vector(r.embedding, $dimensions, FLOAT32) ELSE 0 END)
         AS vectors
