// Concepts that nothing holds once some others, their records and associations are gone, and what goes along.
// Held is what another record mentions, what a stated association joins to something that stays, what is fixed, and
// a self. $concepts, $records, $associations: ids of all that goes. One row.
CALL () {
  UNWIND $records AS id
  MATCH (r:Record {memory: $memory, id: id})-[:MENTIONS]->(c:Concept)
  RETURN c
  UNION
  UNWIND $associations AS id
  MATCH (s:Concept)-[a:ASSOCIATED {id: id}]->(t:Concept)
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  UNWIND [s, t] AS c
  RETURN c
}
WITH DISTINCT c
WHERE NOT c.id IN $concepts AND c.kind <> 'self' AND NOT coalesce(c.fixed, false)
  AND NOT EXISTS { MATCH (c)<-[:MENTIONS]-(o:Record) WHERE NOT o.id IN $records }
  AND NOT EXISTS {
    MATCH (c)-[a:ASSOCIATED]-(x)
    WHERE a.implied IS NULL AND NOT a.id IN $associations AND NOT x.id IN $concepts
  }
WITH c ORDER BY c.id
WITH collect(c.id) AS orphans, collect(c.label) AS labels
CALL (orphans) {
  MATCH (c:Concept)-[x:COINCIDED]-()
  WHERE c.memory = $memory AND (c.id IN $concepts OR c.id IN orphans)
  RETURN count(DISTINCT x) AS coincidences
}
CALL (orphans) {
  MATCH (b:Merged)-[:MERGED_INTO*1..]->(a:Concept)
  WHERE b.memory = $memory AND (a.id IN $concepts OR a.id IN orphans)
  RETURN collect(DISTINCT b.id) AS merged
}
RETURN orphans, labels, coincidences, merged
