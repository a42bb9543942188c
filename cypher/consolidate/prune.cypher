// Delete concepts that never took hold, and every trace that points at what goes with them. $ids: concept ids
// A record whose facts go is marked `faded`: once nothing of it is left, what else it mentions does not keep it.
CALL () {
  UNWIND $ids AS id
  MATCH (c:Concept {memory: $memory, id: id})-[e:ASSOCIATED]-(x)
  RETURN collect(DISTINCT e) AS edges
}
CALL (edges) {
  UNWIND edges AS e
  UNWIND e.records AS id
  WITH id, collect(e.id) AS gone
  MATCH (r:Record {memory: $memory, id: id})
  SET r.associations = [x IN r.associations WHERE NOT x IN gone], r.faded = true
  RETURN count(r) AS records
}
CALL (edges) {
  UNWIND $ids AS id
  MATCH (:Concept {memory: $memory, id: id})<-[:MENTIONS]-(r:Record)
  WITH DISTINCT r, [e IN edges | e.id] AS gone
  SET r.associations = [x IN r.associations WHERE NOT x IN gone]
  RETURN count(r) AS mentioning
}
CALL (edges) {
  UNWIND edges AS e
  MATCH ()-[f:ASSOCIATED {superseded_by: e.id}]->()
  USING INDEX SEEK f:ASSOCIATED(superseded_by)
  WHERE f.memory = $memory
  SET f.superseded_by = null
  RETURN count(f) AS freed
}
UNWIND $ids AS id
MATCH (c:Concept {memory: $memory, id: id})
DETACH DELETE c
RETURN count(*) AS pruned, max(size(edges)) AS associations
