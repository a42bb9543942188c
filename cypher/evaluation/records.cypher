// All records of a memory in the order they were said, with the ids of the concepts each mentions. $dimensions: of vectors.
MATCH (r:Record)
WHERE r.memory = $memory
WITH r, COLLECT { MATCH (r)-[:MENTIONS]->(c:Concept) RETURN c.id ORDER BY c.id } AS concepts
ORDER BY r.turn, r.turn_id, r.role DESC
RETURN r.id AS id, r.turn_id AS turn_id, r.turn AS turn, r.role AS role, r.speaker AS speaker, r.session AS session,
       r.at AS at, r.text AS text, concepts,
       CASE WHEN r.embedding IS NULL THEN NULL ELSE vector(r.embedding, $dimensions, FLOAT32) END AS embedding
