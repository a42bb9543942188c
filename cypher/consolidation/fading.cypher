// How many concepts a sleep would change in strength, and how many of those grow: for a dry run. $turn: its turn
MATCH (c:Concept)
WHERE c.memory = $memory AND (c.strength > 0 OR c.exposure > 0) AND coalesce(c.slept, 0) < $turn AND c.kind <> 'self'
RETURN count(c) AS concepts, sum(CASE WHEN c.exposure > 0 THEN 1 ELSE 0 END) AS transferred
