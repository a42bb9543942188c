// Every fact about one concept: direction, whether it still holds, and since which turn.
// Paste into Neo4j Browser after   :param memory => 'demo'
// and   :param concept => 'Ana'   (a label, in any case, or an alias)
MATCH (c:Concept)-[a:ASSOCIATED]-(x:Concept)
WHERE c.memory = $memory AND a.implied IS NULL
  AND (c.label_key = toLower($concept) OR any(alias IN c.aliases WHERE toLower(alias) = toLower($concept)))
RETURN startNode(a).label AS source, CASE WHEN a.negated THEN 'NOT ' ELSE '' END + a.relation AS relation,
       endNode(a).label AS target, a.superseded_turn IS NULL AS current, a.contested AS contested, a.when AS when,
       a.first_turn AS first_turn, a.count AS times, round(a.weight, 3) AS weight
ORDER BY current DESC, weight DESC, first_turn
