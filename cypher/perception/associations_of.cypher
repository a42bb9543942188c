// Every current association of one source: asked only when a correction names no relation we know to be the same.
// $claimed: whether somebody else than the one whom it is about says it; only then `speakers` are read.
MATCH (s:Concept {memory: $memory, id: $source})-[a:ASSOCIATED]->(t:Concept)
USING INDEX SEEK s:Concept(memory, id)
WHERE a.superseded_turn IS NULL AND a.implied IS NULL
RETURN a.id AS id, s.id AS source, a.relation AS relation, t.id AS target, t.kind AS kind,
       a.negated AS negated, a.slot AS slot, a.first_turn AS first_turn,
       COLLECT {
         UNWIND CASE WHEN $claimed THEN a.records ELSE [] END AS id
         MATCH (r:Record {memory: $memory, id: id})
         USING INDEX SEEK r:Record(memory, id)
         WHERE r.role = 'user'
         RETURN DISTINCT r.speaker
       } AS speakers
ORDER BY a.last_turn DESC, a.id
LIMIT 200
