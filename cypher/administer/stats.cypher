// Sizes of one memory; no row if there is none.
MATCH (m:Memory {name: $memory})
CALL () {
  MATCH (c:Concept) WHERE c.memory = $memory
  RETURN count(c) AS concepts, count(CASE WHEN c.activation > 0 THEN 1 END) AS lit
}
CALL () {
  MATCH (c:Concept)-[a:ASSOCIATED]->() WHERE c.memory = $memory
  RETURN count(a) AS associations, count(a.superseded_turn) AS superseded
}
CALL () {
  MATCH (c:Concept)-[p:COINCIDED]->() WHERE c.memory = $memory
  RETURN count(p) AS coincidences
}
CALL () {
  MATCH (r:Record) WHERE r.memory = $memory
  RETURN count(CASE WHEN r.role = 'user' THEN 1 END) AS episodes, count(CASE WHEN r.role = 'assistant' THEN 1 END) AS replies,
         count(CASE WHEN r.extraction = 'failed' THEN 1 END) AS failed, coalesce(sum(size(r.text)), 0) AS characters
}
RETURN m.turn AS turns, concepts, lit, associations, superseded, coincidences, episodes, replies, failed, characters
