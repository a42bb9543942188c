// Keep a signed checkpoint of a memory. $checkpoint: its properties but for the number.
OPTIONAL MATCH (c:Checkpoint {memory: $memory})
WITH coalesce(max(c.number), 0) + 1 AS number
CREATE (n:Checkpoint)
SET n = $checkpoint, n.memory = $memory, n.number = number
RETURN n.number AS number
