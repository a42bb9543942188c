// What gists are made from: the words as they were said, the facts stated in them, what is mentioned. One row a record.
// `facts` are in the order in which it states them. A reply mentions what its turn does. $ids: records.
UNWIND $ids AS id
MATCH (r:Record {memory: $memory, id: id})
USING INDEX SEEK r:Record(memory, id)
WHERE r.resting IS NULL
CALL (r) {
  UNWIND range(0, size(r.associations) - 1) AS place
  MATCH (s:Concept)-[a:ASSOCIATED {id: r.associations[place]}]->(t:Concept)
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory AND a.implied IS NULL
  WITH a, s, t ORDER BY place
  RETURN collect({id: a.id, source: s.label, source_id: s.id, relation: a.relation, target: t.label, target_id: t.id,
                  weight: a.weight, negated: a.negated, current: a.superseded_turn IS NULL, contested: a.contested,
                  when: a.when, stated_at: a.stated_at, first_turn: a.first_turn, last_turn: a.last_turn,
                  confidence: coalesce(a.confidence, 1.0), records: []}) AS facts
}
CALL (r) {
  MATCH (u:Record)-[m:MENTIONS]->(c:Concept)
  WHERE u.memory = $memory AND u.turn = r.turn AND (u.id = r.id OR r.role = 'assistant') AND c.kind <> 'self'
  WITH m, c ORDER BY c.strength DESC, c.mentions DESC, c.id
  RETURN collect({id: c.id, label: c.label, surface: m.surface, holds: c.fixed OR c.strength >= $took_hold}) AS mentions
}
RETURN r.id AS id, r.role AS role, r.speaker AS speaker, coalesce(r.verbatim, r.text) AS text, facts, mentions,
       r.verbatim IS NOT NULL AS again
