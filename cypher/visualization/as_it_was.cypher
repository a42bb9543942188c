// What a memory knew at a turn: its concepts that stood out then, and what joined them.
// $turn: the turn, null for now; $limit: concepts; $decay: what a turn leaves of activation; $faintest: pulses from
// which a concept is shown as active. Activation at an earlier turn is estimated from mentions; strength, weight and
// labels are today's; what was merged, pruned or forgotten since is not there.
MATCH (m:Memory {name: $memory})
CALL (m) {
  MATCH (c:Concept)
  WHERE c.memory = $memory AND ($turn IS NULL OR c.first_turn <= $turn)
  CALL (c) {
    WITH c WHERE $turn IS NOT NULL AND c.last_turn > $turn - 40
    MATCH (c)<-[:MENTIONS]-(r:Record)
    WHERE r.turn > $turn - 40 AND r.turn <= $turn
    RETURN sum($decay ^ ($turn - r.turn)) AS lit
  }
  WITH c, CASE WHEN $turn IS NULL THEN c.activation WHEN lit < $faintest THEN 0.0 ELSE lit END AS activation
  ORDER BY activation DESC, c.strength DESC, c.mentions DESC, c.id LIMIT $limit
  RETURN collect(c) AS chosen, collect({id: c.id, label: c.label, kind: c.kind, activation: activation,
                 strength: c.strength, mentions: c.mentions, aliases: c.aliases, first_turn: c.first_turn,
                 last_turn: c.last_turn}) AS concepts
}
CALL (chosen) {
  UNWIND chosen AS s
  MATCH (s)-[a:ASSOCIATED]->(t:Concept)
  WHERE t IN chosen AND ($turn IS NULL OR a.first_turn <= $turn)
  RETURN collect({id: a.id, source: s.id, target: t.id, relation: a.relation, weight: a.weight, negated: a.negated,
                  current: a.superseded_turn IS NULL OR ($turn IS NOT NULL AND a.superseded_turn > $turn),
                  contested: coalesce(a.contested, false), implied: coalesce(a.implied, false), when: a.when,
                  first_turn: a.first_turn, superseded_turn: a.superseded_turn}) AS associations
}
CALL (m) {
  MATCH (c:Concept) WHERE c.memory = $memory AND ($turn IS NULL OR c.first_turn <= $turn)
  RETURN count(c) AS total
}
RETURN coalesce(m.turn, 0) AS turns, total, concepts, associations
