// The associations that leave one page of a memory's concepts, by id, as parallel arrays. $after: the id before the page;
// $until: the last id wanted; $page: concepts. `last`: the id of its last concept; `concepts`: how many it has.
MATCH (s:Concept)
USING INDEX SEEK s:Concept(memory, id)
WHERE s.memory = $memory AND s.id > $after AND s.id <= $until
WITH s ORDER BY s.memory, s.id LIMIT $page
WITH collect(s) AS page
CALL (page) {
  UNWIND page AS s
  MATCH (s)-[r:ASSOCIATED]->(t:Concept)
  WITH s, t, properties(r) AS a  // all at once: each property that is read by itself is looked for from the first on
  RETURN collect(a.id) AS ids, collect(s.id) AS sources, collect(t.id) AS targets,
         collect(coalesce(a.weight, 0.0)) AS weights,
         collect(coalesce(a.relation, '')) AS relations, collect(coalesce(a.class, '')) AS classes,
         collect(coalesce(a.implied, false)) AS implied, collect(coalesce(a.confidence, 1.0)) AS confidences,
         collect(coalesce(a.first_turn, -1)) AS first_turns, collect(coalesce(a.last_turn, -1)) AS last_turns,
         collect(a.superseded_turn IS NOT NULL) AS superseded, collect(coalesce(a.negated, false)) AS negated,
         collect(coalesce(a.contested, false)) AS contested, collect(coalesce(a.when, '')) AS times,
         collect(coalesce(a.stated_at, '')) AS stated, collect(coalesce(a.records, [])) AS records
}
RETURN page[-1].id AS last, size(page) AS concepts, ids, sources, targets, weights, relations, classes, implied, confidences,
       first_turns, last_turns, superseded, negated, contested, times, stated, records
