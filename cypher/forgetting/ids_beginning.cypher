// Two ids, or one, of associations whose id begins with $beginning.
MATCH ()-[a:ASSOCIATED]->()
USING INDEX a:ASSOCIATED(memory, id)
WHERE a.id STARTS WITH $beginning AND a.memory = $memory
RETURN a.id AS id ORDER BY id LIMIT 2
