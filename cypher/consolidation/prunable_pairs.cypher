// How many coincidences did not recur: for a dry run. $before: the last turn of one; $recurrence: turns
MATCH (c:Concept)-[p:COINCIDED]->()
WHERE c.memory = $memory AND p.count < $recurrence AND p.last_turn <= $before
RETURN count(p) AS pairs
