// Pairs of concepts that may be one and were not judged: compared in sleep, or linked by perception.
// $limit: pairs.
CALL () {
  MATCH (a:Concept)-[k:COMPARED {verdict: 'doubtful'}]->(b:Concept)
  WHERE a.memory = $memory
  RETURN a, b, k.method AS method, k.score AS score, k.turn AS turn
  UNION
  MATCH (a:Concept)-[k:ASSOCIATED {class: 'maybe same'}]->(b:Concept)
  WHERE a.memory = $memory AND k.superseded_turn IS NULL
  RETURN a, b, 'maybe same' AS method, k.weight AS score, k.first_turn AS turn
}
RETURN a.id AS first_id, a.label AS first, b.id AS second_id, b.label AS second, a.kind AS kind, method, score, turn
ORDER BY score DESC, first, second, first_id, second_id LIMIT $limit
