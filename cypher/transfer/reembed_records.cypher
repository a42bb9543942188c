// The next records that still have the old model's vector, and entries that wait for one; a gist is embedded as what it says, what rests has none.
MATCH (n:Record)
WHERE n.memory = $memory AND n.reembedded IS NULL 
  AND (n.embedding IS NOT NULL OR n.role = 'entry' AND n.text IS NOT NULL)
RETURN n.id AS id, n.text AS text, n.role IN ['entry', 'note'] AS verbatim
LIMIT $page
