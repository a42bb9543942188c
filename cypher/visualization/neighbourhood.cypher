// One concept and what surrounds it, the heaviest associations first, and what joins them all.
// $concept: its id; $near, $far: neighbours taken of it, and of each of those.
MATCH (c:Concept {memory: $memory, id: $concept})
CALL (c) {
  MATCH (c)-[a:ASSOCIATED]-(x:Concept)
  WITH x, max(a.weight) AS weight ORDER BY weight DESC, x.id LIMIT $near
  RETURN collect(x) AS ring
}
CALL (c, ring) {
  UNWIND ring AS y
  CALL (c, y) {
    MATCH (y)-[a:ASSOCIATED]-(x:Concept)
    WHERE y.kind <> 'self' AND x <> c
    WITH x, max(a.weight) AS weight ORDER BY weight DESC, x.id LIMIT $far
    RETURN x
  }
  RETURN collect(DISTINCT x) AS rim
}
CALL (c, ring, rim) {
  UNWIND [c] + ring + rim AS x
  WITH DISTINCT x ORDER BY x.id
  RETURN collect(x) AS chosen
}
CALL (chosen) {
  UNWIND chosen AS s
  MATCH (s)-[a:ASSOCIATED]->(t:Concept)
  WHERE t IN chosen
  RETURN collect({source: s.id, target: t.id, id: a.id, relation: a.relation, weight: a.weight, negated: a.negated,
                  current: a.superseded_turn IS NULL, when: a.when, stated_at: a.stated_at, count: a.count}) AS edges
}
RETURN [x IN chosen | {id: x.id, label: x.label, kind: x.kind, activation: x.activation, strength: x.strength,
                       mentions: x.mentions, aliases: x.aliases}] AS nodes, edges
