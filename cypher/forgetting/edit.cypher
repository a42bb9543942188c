// A fact corrected by a person: the new association, or one that says it already, supersedes the old one.
// $old, $new: ids; $turn; $source, $target: concept ids; $created: properties of a new target (or null), $vector;
// $association: properties of the new one (or null if there is one)
CALL () {
  WITH 1 AS new WHERE $created IS NOT NULL
  MERGE (c:Concept {memory: $memory, id: $target})
  ON CREATE SET c:Unindexed, c += $created,
                c.embedding = toFloatList($vector.floats), c.vector_bytes = $vector.bytes,
                c.created_at = datetime()
  RETURN count(c) AS concepts
}
CALL () {
  WITH 1 AS new WHERE $association IS NOT NULL
  MATCH (s:Concept {memory: $memory, id: $source}), (t:Concept {memory: $memory, id: $target})
  MERGE (s)-[a:ASSOCIATED {id: $new}]->(t)
  ON CREATE SET a += $association
  RETURN count(a) AS associations
}
MATCH ()-[b:ASSOCIATED {id: $old}]->()
USING INDEX SEEK b:ASSOCIATED(memory, id)
WHERE b.memory = $memory
SET b.superseded_turn = $turn, b.superseded_by = $new
RETURN concepts, associations
