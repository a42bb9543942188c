// One page of a memory's associations, by source and id; records are named as [turn id, role].
// $after: the key of the page's predecessor; $page: rows.
MATCH (s:Concept)-[a:ASSOCIATED]->(t:Concept)
WHERE s.memory = $memory AND s.id >= $after[0]
WITH s, a, t, [s.id, a.id] AS key
WHERE key > $after
WITH s, a, t, key ORDER BY key LIMIT $page
RETURN key, s.id AS source, t.id AS target, properties(a) AS properties,
       [id IN a.records | head(COLLECT {
         MATCH (r:Record {memory: $memory, id: id}) RETURN [r.turn_id, r.role]
       })] AS records
