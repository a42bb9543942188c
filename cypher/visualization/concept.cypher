// One concept by id, its associations with what replaced them, and the records that mention it, the newest first.
// $concept: its id; $limit: records.
MATCH (c:Concept {memory: $memory, id: $concept})
CALL (c) {
  MATCH (c)-[a:ASSOCIATED]-(:Concept)
  WITH DISTINCT a, startNode(a) AS s, endNode(a) AS t
  ORDER BY a.first_turn, a.id
  RETURN collect({id: a.id, source_id: s.id, source: s.label, relation: a.relation, target_id: t.id, target: t.label,
                  weight: a.weight, negated: a.negated, current: a.superseded_turn IS NULL,
                  contested: coalesce(a.contested, false), implied: coalesce(a.implied, false), when: a.when,
                  stated_at: a.stated_at, first_turn: a.first_turn, last_turn: a.last_turn,
                  superseded_turn: a.superseded_turn, superseded_by: a.superseded_by, records: a.records}) AS facts
}
CALL (c) {
  MATCH (c)<-[:MENTIONS]-(r:Record)
  RETURN count(r) AS said
}
CALL (c) {
  MATCH (c)<-[:MENTIONS]-(r:Record)
  WITH r ORDER BY r.turn DESC, r.role, r.id LIMIT $limit
  RETURN collect({id: r.id, turn: r.turn, role: r.role, speaker: r.speaker, session: r.session, at: r.at,
                  text: coalesce(r.verbatim, r.text, '')}) AS records
}
RETURN c {.id, .label, .kind, .activation, .strength, .exposure, .mentions, .aliases, .first_turn, .last_turn} AS concept,
       facts, said, records
