// Concepts that never took hold, a page by id, each with its records and what else those mention.
// Never: a self, what is fixed or lit or took something up in a merge; an end of what was replaced, or replaced
// something (a record whose fact was replaced would speak again as if it held); an end of a single-valued fact
// ($lasting: the classes of such relations: where one lives, and lived, is no trivia).
// $after: id of the page's predecessor; $before: last turn of a mention; $took_hold: strength; $seldom: mentions; $page
MATCH (c:Concept)
WHERE c.memory = $memory AND c.id > $after AND c.kind <> 'self' AND NOT c.fixed AND c.activation = 0
  AND c.strength < $took_hold AND c.mentions <= $seldom AND c.last_turn <= $before
  AND NOT EXISTS { (c)<-[:MERGED_INTO]-() }
  AND NOT EXISTS {
    MATCH (c)-[e:ASSOCIATED]-()
    WHERE e.superseded_turn IS NOT NULL OR EXISTS {
      MATCH ()-[f:ASSOCIATED {superseded_by: e.id}]->() USING INDEX SEEK f:ASSOCIATED(memory, superseded_by) WHERE f.memory = $memory
    }
  }
  AND NOT EXISTS { (c)-[e:ASSOCIATED]-() WHERE e.class IN $lasting OR e.class STARTS WITH 'favourite ' }
WITH c ORDER BY c.id LIMIT $page
RETURN c.id AS id, COUNT { (c)-[:ASSOCIATED]-() } AS associations,
       COLLECT { MATCH (c)<-[:MENTIONS]-(r) WHERE r.resting IS NULL
                 RETURN COLLECT { MATCH (r)-[:MENTIONS]->(x) RETURN x.id ORDER BY x.id } } AS links
