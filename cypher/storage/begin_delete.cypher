// Close a memory to its writers before it is deleted; waits for the one that is at work. A stamp of its own without a
// number: no copy is the memory's state any more, nor can it be brought up to date. No row if there is no such memory.
MATCH (m:Memory {name: $memory})
SET m.deleting = true, m.stamp = randomUUID()
RETURN m.name AS name
