// The next records that still have the old model's vector.
MATCH (n:Record)
WHERE n.memory = $memory AND n.reembedded IS NULL
RETURN n.id AS id, n.text AS text
LIMIT $page
