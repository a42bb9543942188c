// The concepts that a person may mean: by exact key, by alias, or by a part of the label (`exact` tells which).
// $key: the label as keys are written.
MATCH (c:Concept)
WHERE c.memory = $memory AND (c.label_key CONTAINS $key OR any(a IN c.aliases WHERE toLower(a) = $key))
RETURN c.id AS id, c.label AS label, c.kind AS kind,
       c.label_key = $key OR any(a IN c.aliases WHERE toLower(a) = $key) AS exact
ORDER BY exact DESC, c.mentions DESC, c.label LIMIT 20
