// Entries of a memory that have no place in its chain, which no write leaves.
MATCH (e:Entry)
USING INDEX SEEK e:Entry(memory, id)
WHERE e.memory = $memory AND e.id > '' AND (e.seq IS NULL OR e.seq < 1)
RETURN e.id AS id
