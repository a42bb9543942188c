// The next concepts that still have the old model's vector.
MATCH (n:Concept)
WHERE n.memory = $memory AND n.reembedded IS NULL
RETURN n.id AS id, n.label AS text
LIMIT $page
