// Strength grows with the exposure gathered since the last sleep, then decays by the turns that have passed; a page of
// concepts by id. Each is marked with the turn up to which this was done: whatever repeats it finds nothing to do.
// $after: id of the page's predecessor; $turn, $since: of this sleep and the last; $exposure, $decay (per turn); $page
MATCH (c:Concept)
WHERE c.memory = $memory AND c.id > $after AND (c.strength > 0 OR c.exposure > 0) AND coalesce(c.slept, 0) < $turn
  AND c.kind <> 'self'
WITH c ORDER BY c.id LIMIT $page
WITH c, c.strength AS before, c.exposure > 0 AS exposed,
     $turn - reduce(last = $since, t IN [coalesce(c.slept, 0), c.first_turn] | CASE WHEN t > last THEN t ELSE last END) AS turns
WITH c, before, exposed, before + (1 - before) * (1 - exp(-c.exposure / $exposure)) AS gained,
     CASE WHEN c.fixed THEN 1.0 ELSE $decay ^ turns END AS left
SET c.strength = gained * left, c.exposure = 0.0, c.slept = $turn
RETURN max(c.id) AS last, count(c) AS concepts, sum(CASE WHEN exposed THEN 1 ELSE 0 END) AS transferred
