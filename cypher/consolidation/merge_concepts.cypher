// The concepts themselves: the absorbed one keeps its node, without the label Concept; the survivor takes its labels.
// $merges: [{survivor, absorbed, properties (of the survivor), link (of MERGED_INTO)}]; the memory counts its merges.
MATCH (m:Memory {name: $memory})
SET m.merges = coalesce(m.merges, 0) + size($merges)
WITH m.merges - size($merges) AS before
UNWIND range(0, size($merges) - 1) AS i
WITH $merges[i] AS row, before + i + 1 AS place
MATCH (a:Concept {memory: $memory, id: row.survivor}), (b:Concept {memory: $memory, id: row.absorbed})
SET a += row.properties, a.mentions = COUNT { (a)<-[:MENTIONS]-() }
REMOVE b:Concept:IndexedConcept:Unindexed
SET b:Merged
CREATE (b)-[l:MERGED_INTO]->(a)
SET l = row.link, l.place = place, l.at = datetime()
WITH a, b, row
CALL (a, b, row) {
  MATCH (b)-[k:COMPARED]-(c:Concept)
  WHERE c <> a AND NOT EXISTS { (a)-[:COMPARED]-(c) }
  CREATE (a)-[n:COMPARED]->(c)
  SET n = properties(k), n.inherited = row.link.id
}
RETURN count(*) AS merged
