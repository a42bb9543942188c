// Every memory's name, clock and pinned model: for administrators, who see all of a database.
MATCH (m:Memory)
RETURN m.name AS name, m.turn AS turn, m.embedding_model AS model, toStringOrNull(m.created_at) AS created_at
ORDER BY name
