// What a turn meets before its pulse: the current associations its relations could repeat, deny or replace,
// and what it could be surprised at: how close its text is to each topic that is lit, and the vectors of what was said
// just before and of records spread over the memory. Rows are bounded, however large the memory is.
// $slots: (source, relation class) hashes, of relations that may replace another target; $pairs: [[source id, target
// id]], of those that can only repeat or deny, and of targets named as replaced; $vector: the turn's text, $dimensions its length.
// $claimed: ids of sources that are other speakers', whose own statements nobody replaces: only of them `speakers` are read.
// $turn: its number; $since: said before that turn is no longer recent, $most: recent records; $sample: turn numbers.
CALL () {
  UNWIND $slots AS slot
  MATCH (s:Concept)-[a:ASSOCIATED {slot: slot}]->(t:Concept)
  USING INDEX SEEK a:ASSOCIATED(slot)
  WHERE a.memory = $memory AND a.superseded_turn IS NULL
  RETURN a, s, t
  UNION
  UNWIND $pairs AS pair
  MATCH (s:Concept {memory: $memory, id: pair[0]})-[a:ASSOCIATED]->(t:Concept {memory: $memory, id: pair[1]})
  USING INDEX SEEK s:Concept(memory, id)
  USING INDEX SEEK t:Concept(memory, id)
  WHERE a.superseded_turn IS NULL
  RETURN a, s, t
}
WITH collect({id: a.id, source: s.id, relation: a.relation, target: t.id, kind: t.kind,
              negated: a.negated, slot: a.slot, first_turn: a.first_turn,
              speakers: COLLECT {
                UNWIND CASE WHEN s.id IN $claimed THEN a.records ELSE [] END AS id
                MATCH (r:Record {memory: $memory, id: id})
                USING INDEX SEEK r:Record(memory, id)
                WHERE r.role = 'user'
                RETURN DISTINCT r.speaker
              }}) AS facts
CALL () {
  MATCH (c:Concept)
  USING INDEX SEEK c:Concept(memory, activation)
  WHERE c.memory = $memory AND c.activation > 0 AND c.kind IN ['concept', 'name']
  RETURN collect(c.activation) AS lit, collect(vector.similarity.cosine(c.embedding, $vector)) AS affinity
}
CALL (lit) {
  MATCH (r:Record)
  USING INDEX SEEK r:Record(memory, turn)
  WHERE size(lit) > 0 AND r.memory = $memory AND $since <= r.turn < $turn AND r.embedding IS NOT NULL
  WITH r ORDER BY r.turn DESC, r.role DESC, r.turn_id LIMIT $most
  RETURN collect($turn - 1 - r.turn) AS ages, collect(vector(r.embedding, $dimensions, FLOAT32)) AS said
}
CALL (lit) {
  UNWIND $sample AS turn
  CALL (lit, turn) {
    MATCH (r:Record)
    USING INDEX SEEK r:Record(memory, turn)
    WHERE size(lit) > 0 AND r.memory = $memory AND r.turn = turn AND r.embedding IS NOT NULL
    RETURN r ORDER BY r.role DESC, r.turn_id LIMIT 1
  }
  RETURN collect(vector(r.embedding, $dimensions, FLOAT32)) AS sample
}
RETURN facts, lit, affinity, ages, said, sample
