// Concepts as a judge sees them: how they are called and their heaviest current facts. $ids: concept ids; $most: facts
UNWIND $ids AS id
MATCH (c:Concept {memory: $memory, id: id})
RETURN c.id AS id, c.label AS label, c.kind AS kind, c.aliases AS aliases, COLLECT {
  MATCH (c)-[a:ASSOCIATED]-(x)
  WHERE a.superseded_turn IS NULL AND a.implied IS NULL
  RETURN {source: startNode(a).label, relation: a.relation, target: endNode(a).label, negated: a.negated, when: a.when}
  ORDER BY a.weight DESC, a.id LIMIT $most
} AS facts
