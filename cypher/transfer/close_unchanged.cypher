// Close a memory to its writers before it is deleted, if it still has the state of $stamp; no row otherwise.
MATCH (m:Memory {name: $memory})
SET m.lock = 'rename'
WITH m
WHERE coalesce(m.stamp, '') = $stamp
SET m.deleting = true
RETURN m.name AS name
