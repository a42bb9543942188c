// One page of what a memory's records mention, by concept; the record is named as [turn id, role].
// $after: the key of the page's predecessor; $page: rows.
MATCH (c:Concept)<-[x:MENTIONS]-(r:Record)
WHERE c.memory = $memory AND c.id >= $after[0] AND r.role <> 'note'
WITH c, x, r, [c.id, coalesce(r.turn, -1), r.turn_id, r.role] AS key
WHERE key > $after
WITH c, x, r, key ORDER BY key LIMIT $page
RETURN key, c.id AS concept, [r.turn_id, r.role] AS record, properties(x) AS properties
