// Close a memory to its writers before it is deleted; waits for the one that is at work.
MATCH (m:Memory {name: $memory})
SET m.deleting = true
RETURN m.name AS name
