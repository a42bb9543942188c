// What is lit and two hops around it, as parallel arrays. Fan-out is capped by weight, then recency, then id.
// $near, $far: neighbours taken per concept at the first and second hop.
MATCH (c:Concept)
WHERE c.memory = $memory AND c.activation > 0
WITH collect(c) AS lit
CALL (lit) {
  UNWIND lit AS c
  CALL (c) {
    MATCH (c)-[a:ASSOCIATED]-(x)
    WHERE a.superseded_turn IS NULL
    RETURN a, x ORDER BY a.weight DESC, a.last_turn DESC, a.id LIMIT $near
  }
  RETURN collect(DISTINCT a) AS inner, collect(DISTINCT x) AS ring
}
CALL (lit, ring) {
  UNWIND ring AS c
  WITH c, lit WHERE NOT c IN lit
  CALL (c) {
    MATCH (c)-[a:ASSOCIATED]-(x)
    WHERE a.superseded_turn IS NULL
    RETURN a, x ORDER BY a.weight DESC, a.last_turn DESC, a.id LIMIT $far
  }
  RETURN collect(DISTINCT a) AS outer, collect(DISTINCT x) AS rim
}
CALL (lit, ring, rim) {
  UNWIND lit + ring + rim AS c
  WITH DISTINCT c
  RETURN collect(c.id) AS ids, collect(c.activation) AS activation, collect(c.kind = 'self') AS selves
}
CALL (inner, outer) {
  UNWIND inner + outer AS a
  WITH DISTINCT a
  RETURN collect(startNode(a).id) AS sources, collect(endNode(a).id) AS targets, collect(a.weight) AS weights
}
RETURN ids, activation, selves, sources, targets, weights
