// One page of what the associations of absorbed concepts were, by source, id and merge; records are named as
// [turn id, role]. $after: the key of the page's predecessor; $page: rows.
MATCH (s:Concept|Merged)-[x:WAS_ASSOCIATED]->(t)
WHERE s.memory = $memory AND s.id >= $after[0]
WITH s, x, t, [s.id, t.id, x.id, x.merge] AS key
WHERE key > $after
WITH s, x, t, key ORDER BY key LIMIT $page
RETURN key, s.id AS source, t.id AS target, properties(x) AS properties,
       [id IN x.records | head(COLLECT {
         MATCH (r:Record {memory: $memory, id: id}) RETURN [r.turn_id, r.role]
       })] AS records,
       [id IN x.host_records | head(COLLECT {
         MATCH (r:Record {memory: $memory, id: id}) RETURN [r.turn_id, r.role]
       })] AS host_records
