// All associations of a memory, by id, with the labels of their ends, whether they hold and whether they were stated.
MATCH (s:Concept)-[a:ASSOCIATED]->(t:Concept)
WHERE s.memory = $memory
WITH s, a, t ORDER BY a.id
RETURN a.id AS id, s.label AS source, a.relation AS relation, t.label AS target, a.weight AS weight,
       a.negated AS negated, a.superseded_turn IS NULL AS current, coalesce(a.contested, false) AS contested,
       a.when AS when, a.stated_at AS stated_at, a.first_turn AS first_turn, a.last_turn AS last_turn,
       a.records AS records, s.id AS source_id, t.id AS target_id, coalesce(a.implied, false) AS implied,
       coalesce(a.confidence, 1.0) AS confidence
