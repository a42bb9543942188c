// Delete coincidences that did not recur, a page of them. $before: the last turn in which the two were mentioned
// together; $recurrence: turns; $page: pairs.
MATCH (c:Concept)-[p:COINCIDED]->()
WHERE c.memory = $memory AND p.count < $recurrence AND p.last_turn <= $before
WITH p LIMIT $page
DELETE p
RETURN count(*) AS pairs
