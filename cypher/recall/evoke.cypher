// The neighbourhood of the cues, three hops or four, as parallel arrays. Speakers that are no cues are not passed through.
// The fan-out is capped by affinity to the question (cosine of the neighbour, class of the relation), then weight,
// recency, id.
// $cues: concept ids. $near: {concept id: cosine}; $nearest: ids of the nearest of them. $classes: relation classes that
// the question asks for. $fan: neighbours per concept at hops 1 to 4 (0: no such hop); $alike: how many of them may be
// neighbours on one relation while others are left (from hop 2 on).
// $hub: associations from which a concept on the way is a hub. Sorting all of a hub's costs the most, so only those to
// $nearest and to cues are read, those of $stated (ids of associations that the nearest records state), and, among
// $searched of them, those of $classes.
// $past: whether superseded associations count. $exclude: a turn whose associations are ignored (or null).
// What is deleted while this runs reads as null: the arrays keep its place, with the id ''.
MATCH (c:Concept {memory: $memory})
WHERE c.id IN $cues
WITH collect(c) AS cues
CALL () {
  UNWIND $nearest AS id
  MATCH (x:Concept {memory: $memory, id: id})
  USING INDEX SEEK x:Concept(memory, id)
  RETURN collect(x) AS nearest
}
CALL () {
  UNWIND $stated AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(id)
  WHERE a.memory = $memory
  RETURN collect(a) AS said
}
WITH cues, nearest + cues AS meant, said
CALL (cues) {
  UNWIND cues AS c
  CALL (c) {
    MATCH (c)-[a:ASSOCIATED]-(x)
    WHERE ($past OR a.superseded_turn IS NULL) AND ($exclude IS NULL OR coalesce(a.first_turn, -1) <> $exclude)
    WITH a, x, coalesce($near[x.id], 0.0) + CASE WHEN a.class IN $classes THEN 1.0 ELSE 0.0 END AS affinity
    RETURN a, x ORDER BY affinity DESC, a.weight DESC, a.last_turn DESC, a.id LIMIT $fan[0]
  }
  RETURN collect(DISTINCT a) AS first, collect(DISTINCT x) AS ring
}
CALL (cues, ring, meant, said) {
  UNWIND ring AS c
  WITH c, cues, meant, said WHERE c.kind <> 'self' AND NOT c IN cues
  CALL (c, meant, said) {
    CALL (c, meant, said) {
      WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } <= $hub
      MATCH (c)-[a:ASSOCIATED]-(x)
      RETURN a, x
      UNION
      WITH c, meant WHERE COUNT { (c)-[:ASSOCIATED]-() } > $hub
      UNWIND meant AS x
      MATCH (c)-[a:ASSOCIATED]-(x)
      RETURN a, x
      UNION
      WITH c, said WHERE COUNT { (c)-[:ASSOCIATED]-() } > $hub
      UNWIND said AS a
      WITH c, a WHERE startNode(a) = c OR endNode(a) = c
      RETURN a, CASE WHEN startNode(a) = c THEN endNode(a) ELSE startNode(a) END AS x
      UNION
      WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } > $hub AND size($classes) > 0
      MATCH (c)-[a:ASSOCIATED]-(x)
      WITH a, x LIMIT $searched
      WHERE a.class IN $classes
      RETURN a, x
    }
    WITH a, x
    WHERE ($past OR a.superseded_turn IS NULL) AND ($exclude IS NULL OR coalesce(a.first_turn, -1) <> $exclude)
    WITH a, x, coalesce($near[x.id], 0.0) + CASE WHEN a.class IN $classes THEN 1.0 ELSE 0.0 END AS affinity
    ORDER BY affinity DESC, a.weight DESC, a.last_turn DESC, a.id
    WITH a.class AS class, collect([a, x, affinity]) AS alike
    UNWIND range(0, size(alike) - 1) AS place
    WITH alike[place][0] AS a, alike[place][1] AS x, alike[place][2] AS affinity, place >= $alike[1] AS over_share
    RETURN a, x ORDER BY over_share, affinity DESC, a.weight DESC, a.last_turn DESC, a.id LIMIT $fan[1]
  }
  RETURN collect(DISTINCT a) AS second, collect(DISTINCT x) AS middle
}
CALL (cues, ring, middle, meant, said) {
  UNWIND middle AS c
  WITH c, cues, ring, meant, said WHERE c.kind <> 'self' AND NOT c IN cues AND NOT c IN ring
  CALL (c, meant, said) {
    CALL (c, meant, said) {
      WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } <= $hub
      MATCH (c)-[a:ASSOCIATED]-(x)
      RETURN a, x
      UNION
      WITH c, meant WHERE COUNT { (c)-[:ASSOCIATED]-() } > $hub
      UNWIND meant AS x
      MATCH (c)-[a:ASSOCIATED]-(x)
      RETURN a, x
      UNION
      WITH c, said WHERE COUNT { (c)-[:ASSOCIATED]-() } > $hub
      UNWIND said AS a
      WITH c, a WHERE startNode(a) = c OR endNode(a) = c
      RETURN a, CASE WHEN startNode(a) = c THEN endNode(a) ELSE startNode(a) END AS x
      UNION
      WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } > $hub AND size($classes) > 0
      MATCH (c)-[a:ASSOCIATED]-(x)
      WITH a, x LIMIT $searched
      WHERE a.class IN $classes
      RETURN a, x
    }
    WITH a, x
    WHERE ($past OR a.superseded_turn IS NULL) AND ($exclude IS NULL OR coalesce(a.first_turn, -1) <> $exclude)
    WITH a, x, coalesce($near[x.id], 0.0) + CASE WHEN a.class IN $classes THEN 1.0 ELSE 0.0 END AS affinity
    ORDER BY affinity DESC, a.weight DESC, a.last_turn DESC, a.id
    WITH a.class AS class, collect([a, x, affinity]) AS alike
    UNWIND range(0, size(alike) - 1) AS place
    WITH alike[place][0] AS a, alike[place][1] AS x, alike[place][2] AS affinity, place >= $alike[2] AS over_share
    RETURN a, x ORDER BY over_share, affinity DESC, a.weight DESC, a.last_turn DESC, a.id LIMIT $fan[2]
  }
  RETURN collect(DISTINCT a) AS third, collect(DISTINCT x) AS rim
}
CALL (cues, ring, middle, rim, meant, said) {
  UNWIND rim AS c
  WITH c, cues, ring, middle, meant, said
  WHERE $fan[3] > 0 AND c.kind <> 'self' AND NOT c IN cues AND NOT c IN ring AND NOT c IN middle
  CALL (c, meant, said) {
    CALL (c, meant, said) {
      WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } <= $hub
      MATCH (c)-[a:ASSOCIATED]-(x)
      RETURN a, x
      UNION
      WITH c, meant WHERE COUNT { (c)-[:ASSOCIATED]-() } > $hub
      UNWIND meant AS x
      MATCH (c)-[a:ASSOCIATED]-(x)
      RETURN a, x
      UNION
      WITH c, said WHERE COUNT { (c)-[:ASSOCIATED]-() } > $hub
      UNWIND said AS a
      WITH c, a WHERE startNode(a) = c OR endNode(a) = c
      RETURN a, CASE WHEN startNode(a) = c THEN endNode(a) ELSE startNode(a) END AS x
      UNION
      WITH c WHERE COUNT { (c)-[:ASSOCIATED]-() } > $hub AND size($classes) > 0
      MATCH (c)-[a:ASSOCIATED]-(x)
      WITH a, x LIMIT $searched
      WHERE a.class IN $classes
      RETURN a, x
    }
    WITH a, x
    WHERE ($past OR a.superseded_turn IS NULL) AND ($exclude IS NULL OR coalesce(a.first_turn, -1) <> $exclude)
    WITH a, x, coalesce($near[x.id], 0.0) + CASE WHEN a.class IN $classes THEN 1.0 ELSE 0.0 END AS affinity
    ORDER BY affinity DESC, a.weight DESC, a.last_turn DESC, a.id
    WITH a.class AS class, collect([a, x, affinity]) AS alike
    UNWIND range(0, size(alike) - 1) AS place
    WITH alike[place][0] AS a, alike[place][1] AS x, alike[place][2] AS affinity, place >= $alike[3] AS over_share
    RETURN a, x ORDER BY over_share, affinity DESC, a.weight DESC, a.last_turn DESC, a.id LIMIT $fan[3]
  }
  RETURN collect(DISTINCT a) AS fourth, collect(DISTINCT x) AS edge
}
CALL (cues, ring, middle, rim, edge) {
  UNWIND cues + ring + middle + rim + edge AS c
  WITH DISTINCT c
  RETURN collect(coalesce(c.id, '')) AS ids, collect(coalesce(c.label, '')) AS labels,
         collect(coalesce(c.kind, '')) AS kinds, collect(coalesce(c.strength, 0.0)) AS strengths
}
CALL (first, second, third, fourth) {
  UNWIND first + second + third + fourth AS a
  WITH DISTINCT a
  RETURN collect(coalesce(a.id, '')) AS associations, collect(coalesce(startNode(a).id, '')) AS sources,
         collect(coalesce(endNode(a).id, '')) AS targets, collect(coalesce(a.weight, 0.0)) AS weights,
         collect(coalesce(a.relation, '')) AS relations, collect(coalesce(a.class, '')) AS classes,
         collect(coalesce(a.implied, false)) AS implied, collect(coalesce(a.confidence, 1.0)) AS confidences
}
RETURN ids, labels, kinds, strengths, associations, sources, targets, weights, relations, classes, implied, confidences
