// Close a memory to its writers before it is deleted, if it still has the state of $stamp and nothing that no archive
// holds; no row otherwise.
MATCH (m:Memory {name: $memory})
SET m.lock = 'rename'
WITH m
WHERE coalesce(m.stamp, '') = $stamp AND NOT EXISTS { MATCH (i:Item) WHERE i.memory = $memory AND i.id > '' }
SET m.deleting = true
RETURN m.name AS name
