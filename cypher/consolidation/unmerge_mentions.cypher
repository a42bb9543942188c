// Mentions and coincidences go back to where they were said.
// $back: record ids whose mention of the survivor was taken over, or was said of the absorbed one since
// $mentions: [{record, properties}] of the absorbed one; $pairs: [{other, count, last_turn}] the survivor's, 0 for none
// $own: [{other, out, properties}]: the absorbed one's coincidences. Both concepts count their mentions anew.
MATCH (a:Concept {memory: $memory, id: $survivor}), (b:Concept {memory: $memory, id: $absorbed})
CALL (a) {
  UNWIND $back AS id
  MATCH (r:Record {memory: $memory, id: id})-[s:MENTIONS]->(a)
  DELETE s
  RETURN count(*) AS back
}
CALL (b) {
  UNWIND $mentions AS row
  MATCH (r:Record {memory: $memory, id: row.record})
  CREATE (r)-[s:MENTIONS]->(b)
  SET s = row.properties
  RETURN count(*) AS mentions
}
CALL (a) {
  UNWIND $pairs AS row
  MATCH (a)-[p:COINCIDED]-(:Concept {memory: $memory, id: row.other})
  SET p.count = row.count, p.last_turn = row.last_turn
  WITH p WHERE p.count <= 0
  DELETE p
  RETURN count(*) AS pairs
}
CALL (b) {
  UNWIND $own AS row
  MATCH (x:Concept {memory: $memory, id: row.other})
  FOREACH (_ IN CASE WHEN row.out THEN [1] ELSE [] END | CREATE (b)-[p:COINCIDED]->(x) SET p = row.properties)
  FOREACH (_ IN CASE WHEN row.out THEN [] ELSE [1] END | CREATE (x)-[p:COINCIDED]->(b) SET p = row.properties)
  RETURN count(*) AS own
}
SET a.mentions = COUNT { (a)<-[:MENTIONS]-() }, b.mentions = COUNT { (b)<-[:MENTIONS]-() }
RETURN back, mentions, pairs, own
