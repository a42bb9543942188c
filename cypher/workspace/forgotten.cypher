// Hashes of what a memory was asked to forget: a note among them is not indexed again.
MATCH (f:Forgetting)
WHERE f.memory = $memory AND f.gone IS NOT NULL
RETURN f.gone AS gone
