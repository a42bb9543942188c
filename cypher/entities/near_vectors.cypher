// One page of the concepts' vectors, by id: of those first mentioned after turn $since, or of the others ($new).
// $after: the id before the page; $page: rows; $dimensions: of each vector. A vector may be null.
MATCH (c:Concept)
WHERE c.memory = $memory AND c.id > $after AND c.kind = 'concept' AND (c.first_turn > $since) = $new
// By both, as the index has them: so the page ends the search.
WITH c ORDER BY c.memory, c.id LIMIT $page
RETURN c.id AS id, vector(c.embedding, $dimensions, FLOAT32) AS embedding
