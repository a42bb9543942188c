// Change properties of a memory's workspace, made if there is none. $properties: null takes one away.
MATCH (m:Memory {name: $memory})
MERGE (w:Workspace {memory: $memory})
SET w += $properties
RETURN count(m) AS memories
