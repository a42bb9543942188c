// Two ids, or one, of entries whose id begins with $beginning.
MATCH (e:Entry)
USING INDEX SEEK e:Entry(memory, id)
WHERE e.memory = $memory AND e.id STARTS WITH $beginning
RETURN e.id AS id ORDER BY id LIMIT 2
