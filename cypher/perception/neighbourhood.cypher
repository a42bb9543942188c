// What is lit and two hops around it, as parallel arrays. Fan-out is capped by weight, then recency, then id; a concept
// with fewer associations than the cap (its degree costs no walk) is taken whole, without reading what they sort by.
// $near, $far: neighbours taken per concept at the first and second hop.
// `places`, `sources`, `targets`: the database's own names of nodes, which say who is tied to whom without reading a
// property; they mean nothing outside this row.
MATCH (c:Concept)
USING INDEX SEEK c:Concept(memory, activation)
WHERE c.memory = $memory AND c.activation > 0
WITH collect(c) AS lit
CALL (lit) {
  UNWIND lit AS c
  CALL (c) {
    WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } <= $near
    MATCH (c)-[a:ASSOCIATED]-(x)
    WHERE a.superseded_turn IS NULL
    RETURN a, x
    UNION ALL
    WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } > $near
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
    WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } <= $far
    MATCH (c)-[a:ASSOCIATED]-(x)
    WHERE a.superseded_turn IS NULL
    RETURN a, x
    UNION ALL
    WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } > $far
    MATCH (c)-[a:ASSOCIATED]-(x)
    WHERE a.superseded_turn IS NULL
    RETURN a, x ORDER BY a.weight DESC, a.last_turn DESC, a.id LIMIT $far
  }
  RETURN collect(DISTINCT a) AS outer, collect(DISTINCT x) AS rim
}
CALL (lit, ring, rim) {
  UNWIND lit + ring + rim AS c
  WITH DISTINCT c
  RETURN collect(c.id) AS ids, collect(elementId(c)) AS places, collect(c.activation) AS activation, collect(c.kind = 'self') AS selves
}
CALL (inner, outer) {
  UNWIND inner + outer AS a
  WITH DISTINCT a
  RETURN collect(elementId(startNode(a))) AS sources, collect(elementId(endNode(a))) AS targets, collect(a.weight) AS weights
}
RETURN ids, places, activation, selves, sources, targets, weights
