// Pairs that wait for an opinion: found doubtful in an earlier sleep, or names linked as "maybe same" when perceived.
CALL () {
  MATCH (a:Concept)-[k:COMPARED]->(b:Concept)
  WHERE a.memory = $memory AND k.verdict = 'doubtful'
  RETURN a, b
  UNION
  MATCH (a:Concept)-[link:ASSOCIATED]->(b:Concept)
  WHERE a.memory = $memory AND a.kind = 'name' AND b.kind = 'name' AND link.class = $maybe_same
    AND link.superseded_turn IS NULL
  RETURN a, b
}
WITH DISTINCT a, b WHERE a.kind = b.kind AND a <> b
RETURN a.id AS a, b.id AS b
ORDER BY a, b
