// Entries of a memory that have no place in its chain, which no write leaves.
MATCH (e:Entry)
WHERE e.memory = $memory AND (e.seq IS NULL OR e.seq < 1)
RETURN e.id AS id
