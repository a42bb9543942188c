// What is lit and the current associations among it, as parallel arrays: all that a turn's close changes.
// $least: activation below which a concept cannot stay lit, so that its associations will not learn.
// A hub is never expanded: its lit neighbours expand towards it, and hubs meet by ExpandInto.
MATCH (c:Concept)
USING INDEX SEEK c:Concept(memory, activation)
WHERE c.memory = $memory AND c.activation > 0
WITH c ORDER BY c.id
WITH collect(c) AS lit
WITH lit, [c IN lit WHERE c.activation >= $least] AS bright
WITH lit, [c IN bright WHERE COUNT { (c)--() } <= $hub] AS plain, [c IN bright WHERE COUNT { (c)--() } > $hub] AS hubs
CALL (plain) {
  UNWIND plain AS c
  MATCH (c)-[a:ASSOCIATED]-(x)
  WHERE x.activation >= $least AND a.superseded_turn IS NULL
  RETURN collect(DISTINCT a) AS edges
}
CALL (hubs) {
  UNWIND hubs AS h
  UNWIND hubs AS k
  MATCH (h)-[a:ASSOCIATED]->(k)
  WHERE a.superseded_turn IS NULL
  RETURN collect(DISTINCT a) AS between
}
CALL (edges, between) {
  UNWIND edges + between AS a
  WITH a ORDER BY a.id
  RETURN collect(a.id) AS associations, collect(startNode(a).id) AS sources, collect(endNode(a).id) AS targets,
         collect(a.weight) AS weights
}
RETURN [c IN lit | c.id] AS ids, [c IN lit | c.activation] AS activation, associations, sources, targets, weights
