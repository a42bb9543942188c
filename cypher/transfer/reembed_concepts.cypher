// The next concepts that still have the old model's vector; absorbed ones, too: an undo makes concepts of them again.
MATCH (n:Concept|Merged)
WHERE n.memory = $memory AND n.reembedded IS NULL
RETURN n.id AS id, n.label AS text
LIMIT $page
