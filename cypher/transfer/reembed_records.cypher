// The next records that still have the old model's vector; a gist is embedded as what it says, what rests has none.
MATCH (n:Record)
WHERE n.memory = $memory AND n.reembedded IS NULL AND n.embedding IS NOT NULL
RETURN n.id AS id, n.text AS text
LIMIT $page
