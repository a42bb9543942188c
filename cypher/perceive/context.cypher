// What a turn meets before its pulse: the current associations its relations could repeat, deny or replace,
// and how close its text is to each topic that is lit.
// $slots: (source, relation class) hashes, of relations that may replace another target; $pairs: [[source id, target
// id]], of those that can only repeat or deny, and of targets named as replaced; $vector: the turn's text.
CALL () {
  UNWIND $slots AS slot
  MATCH (s:Concept)-[a:ASSOCIATED {slot: slot}]->(t:Concept)
  USING INDEX SEEK a:ASSOCIATED(slot)
  WHERE a.memory = $memory AND a.superseded_turn IS NULL
  RETURN a, s, t
  UNION
  UNWIND $pairs AS pair
  MATCH (s:Concept {memory: $memory, id: pair[0]})-[a:ASSOCIATED]->(t:Concept {memory: $memory, id: pair[1]})
  WHERE a.superseded_turn IS NULL
  RETURN a, s, t
}
WITH collect({id: a.id, source: s.id, relation: a.relation, target: t.id, target_label: t.label, kind: t.kind,
              negated: a.negated, slot: a.slot, first_turn: a.first_turn}) AS facts
CALL () {
  MATCH (c:Concept)
  WHERE c.memory = $memory AND c.activation > 0 AND c.kind IN ['concept', 'name']
  RETURN collect(c.activation) AS lit, collect(vector.similarity.cosine(c.embedding, $vector)) AS affinity
}
RETURN facts, lit, affinity
