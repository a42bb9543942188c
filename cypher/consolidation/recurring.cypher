// Pairs that were mentioned together in several turns and have no association yet, by the first one's id.
// $after: the key of the page's predecessor; $recurrence: turns; $page: rows.
// $provenance: record ids a pair at most, the latest ones.
// $turn: that of the sleep; what was said after it, in a turn that is open, may still be taken back.
MATCH (a:Concept)-[p:COINCIDED]->(b:Concept)
WHERE a.memory = $memory AND a.id >= $after[0] AND p.count >= $recurrence
  AND NOT EXISTS { (a)-[e:ASSOCIATED]-(b) WHERE e.superseded_turn IS NULL }
WITH a, p, b, [a.id, b.id] AS key
WHERE key > $after
WITH a, p, b, key ORDER BY key LIMIT $page
RETURN key, a.id AS source, b.id AS target, p.count AS count, p.last_turn AS last_turn,
       COLLECT { MATCH (a)<-[:MENTIONS]-(r)-[:MENTIONS]->(b) WHERE r.turn <= $turn
                 RETURN r.id ORDER BY r.turn DESC, r.id LIMIT $provenance } AS records
