// The part of a memory that stands out: its concepts by activation, strength and use, and what joins them.
// $limit: concepts. concepts, associations: how many there are in all.
MATCH (c:Concept)
WHERE c.memory = $memory
WITH c ORDER BY c.activation DESC, c.strength DESC, c.mentions DESC, c.id LIMIT $limit
WITH collect(c) AS chosen
CALL (chosen) {
  UNWIND chosen AS s
  MATCH (s)-[a:ASSOCIATED]->(t:Concept)
  WHERE t IN chosen
  RETURN collect({source: s.id, target: t.id, id: a.id, relation: a.relation, weight: a.weight, negated: a.negated,
                  current: a.superseded_turn IS NULL, when: a.when, stated_at: a.stated_at, count: a.count}) AS edges
}
RETURN [c IN chosen | {id: c.id, label: c.label, kind: c.kind, activation: c.activation, strength: c.strength,
                       mentions: c.mentions, aliases: c.aliases}] AS nodes, edges,
       COUNT { MATCH (c:Concept {memory: $memory}) } AS concepts,
       COUNT { MATCH (:Concept {memory: $memory})-[:ASSOCIATED]->(:Concept) } AS associations
