// Delete the memory's own node: last, so that a deletion that was interrupted can be done again.
MATCH (m:Memory {name: $memory})
DETACH DELETE m
