// Wait for the writer of a memory that is committing, and keep others out until the transaction ends: a reader without a
// lock may see a part of what is being committed. The property never changes, so nothing is written. $at: 0
MATCH (m:Memory {name: $memory})
SET m.gate = $at
RETURN m.name AS name
