// Associations by what they have to do with: one of $concepts at either end; one of $ids; one of the relation
// phrases $relations; one of $records among their provenance. Superseded ones, too.
CALL () {
  UNWIND $concepts AS id
  MATCH (c:Concept {memory: $memory, id: id})-[a:ASSOCIATED]-()
  RETURN a
  UNION
  UNWIND $ids AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  RETURN a
  UNION
  UNWIND CASE WHEN size($relations) > 0 OR size($records) > 0 THEN [1] ELSE [] END AS asked
  MATCH (c:Concept)-[a:ASSOCIATED]->()
  WHERE c.memory = $memory AND (a.relation IN $relations OR any(id IN a.records WHERE id IN $records))
  RETURN a
}
WITH DISTINCT a, startNode(a) AS s, endNode(a) AS t
RETURN a.id AS id, s.id AS source_id, s.kind AS source_kind, s.label AS source, a.relation AS relation,
       a.class AS class, t.id AS target_id, t.kind AS target_kind, t.label AS target, a.weight AS weight,
       a.negated AS negated, a.superseded_turn IS NULL AS current, coalesce(a.contested, false) AS contested,
       a.when AS when, a.stated_at AS stated_at, a.first_turn AS first_turn, a.last_turn AS last_turn,
       a.records AS records, coalesce(a.implied, false) AS implied, coalesce(a.confidence, 1.0) AS confidence
ORDER BY first_turn, id
