// One page of what may be merged, by id: how it is called, and whether it is new since the last sleep.
// $after: the id before the page; $since: a turn; $page: rows.
MATCH (c:Concept)
WHERE c.memory = $memory AND c.id > $after AND c.kind IN ['concept', 'name']
WITH c ORDER BY c.memory, c.id LIMIT $page
RETURN collect(c.id) AS ids, collect(c.kind) AS kinds, collect(c.label) AS labels,
       collect(c.first_turn > $since) AS news
