// Concepts that nothing but some entries holds: they go when the entries are erased. $ids: of entries.
// Held is what another record mentions, what an association joins to anything, what is fixed, and a self.
UNWIND $ids AS id
MATCH (e:Record {memory: $memory, id: id})-[:MENTIONS]->(c:Concept)
USING INDEX SEEK e:Record(memory, id)
WITH DISTINCT c
WHERE c.kind <> 'self' AND NOT coalesce(c.fixed, false)
  AND NOT EXISTS { MATCH (c)<-[:MENTIONS]-(o:Record) WHERE NOT o.id IN $ids }
  AND NOT EXISTS { (c)-[:ASSOCIATED]-() }
  AND NOT EXISTS { (c)-[:MERGED_INTO]-() }
RETURN c.id AS id
