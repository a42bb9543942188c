// Ids of every association, live or shadow, that goes with some concepts. $concepts: ids, merged ones included.
CALL () {
  UNWIND $concepts AS id
  MATCH (c:Concept {memory: $memory, id: id})-[a:ASSOCIATED|WAS_ASSOCIATED]-()
  RETURN a.id AS association
  UNION
  UNWIND $concepts AS id
  MATCH (c:Merged {memory: $memory, id: id})-[a:ASSOCIATED|WAS_ASSOCIATED]-()
  RETURN a.id AS association
}
RETURN collect(DISTINCT association) AS associations
