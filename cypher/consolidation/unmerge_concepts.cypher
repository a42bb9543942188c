// The absorbed concept is a concept again; the pair is apart from now on, whatever resembles whatever.
// $survivor, $absorbed: ids; $of_survivor, $of_absorbed: properties; $apart: those of COMPARED; $merge: the merge's id
MATCH (b:Merged {memory: $memory, id: $absorbed})-[l:MERGED_INTO {id: $merge}]->(a:Concept {memory: $memory, id: $survivor})
SET a += $of_survivor
REMOVE b:Merged
SET b:Concept:Unindexed, b += $of_absorbed
WITH a, b, l, toString(l.at) AS at
DELETE l
WITH a, b, at
CALL (a) {
  MATCH (a)-[k:COMPARED {inherited: $merge}]-(:Concept)
  DELETE k
}
CALL (a, b) {
  MATCH (b)-[w:WAS_ASSOCIATED|WAS_COINCIDED {merge: $merge}]-()
  DELETE w
}
CALL (b) {
  MATCH (b)<-[w:WAS_MENTIONED {merge: $merge}]-(:Record)
  DELETE w
}
CALL (a, b) {
  MATCH (a)-[k:COMPARED]-(b)
  DELETE k
}
CREATE (a)-[k:COMPARED]->(b)
SET k = $apart, k.at = at
RETURN count(*) AS undone
