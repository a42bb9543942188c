// The associations that leave one page of concepts, as parallel arrays. $after, $last: ids around the page.
MATCH (s:Concept)
USING INDEX SEEK s:Concept(memory, id)
WHERE s.memory = $memory AND $after < s.id AND s.id <= $last
MATCH (s)-[a:ASSOCIATED]->(t:Concept)
RETURN collect(a.id) AS ids, collect(s.id) AS sources, collect(t.id) AS targets, collect(coalesce(a.weight, 0.0)) AS weights,
       collect(coalesce(a.relation, '')) AS relations, collect(coalesce(a.class, '')) AS classes,
       collect(coalesce(a.implied, false)) AS implied, collect(coalesce(a.confidence, 1.0)) AS confidences,
       collect(coalesce(a.first_turn, -1)) AS first_turns, collect(coalesce(a.last_turn, -1)) AS last_turns,
       collect(a.superseded_turn IS NOT NULL) AS superseded, collect(coalesce(a.negated, false)) AS negated,
       collect(coalesce(a.contested, false)) AS contested, collect(coalesce(a.when, '')) AS times,
       collect(coalesce(a.stated_at, '')) AS stated, collect(coalesce(a.records, [])) AS records
