// Delete concepts that never took hold, and every trace that points at what goes with them. $ids: concept ids
// A record whose facts go is marked `faded`: once nothing of it is left, what else it mentions does not keep it.
CALL () {
  UNWIND $ids AS id
  // Shadows, too: what a merge moved here or added up is known by the id that it had before.
  MATCH (c:Concept {memory: $memory, id: id})-[e:ASSOCIATED|WAS_ASSOCIATED]-(x)
  RETURN collect(DISTINCT e) AS edges
}
CALL (edges) {
  UNWIND edges AS e
  UNWIND e.records AS id
  WITH id, collect(e.id) AS gone
  MATCH (r:Record {memory: $memory, id: id})
  SET r.associations = [x IN r.associations WHERE NOT x IN gone], r.faded = true
  WITH r, gone
  MATCH (r)-[w:WAS_MENTIONED]->(:Merged)
  SET w.associations = [x IN w.associations WHERE NOT x IN gone]
  RETURN count(w) AS records
}
CALL (edges) {
  UNWIND $ids AS id
  MATCH (:Concept {memory: $memory, id: id})<-[:MENTIONS]-(r:Record)
  WITH DISTINCT r, [e IN edges | e.id] AS gone
  SET r.associations = [x IN r.associations WHERE NOT x IN gone]
  WITH r, gone
  MATCH (r)-[w:WAS_MENTIONED]->(:Merged)
  SET w.associations = [x IN w.associations WHERE NOT x IN gone]
  RETURN count(w) AS mentioning
}
CALL (edges) {
  // Merges that moved what goes now: its other end has their shadows.
  UNWIND $ids AS id
  MATCH (:Concept {memory: $memory, id: id})-[:WAS_ASSOCIATED]-(:Merged)-[l:MERGED_INTO]->()
  WITH DISTINCT l, [e IN edges | e.id] AS gone
  SET l.touched = [x IN l.touched WHERE NOT x IN gone]
  RETURN count(l) AS touched
}
CALL (edges) {
  UNWIND edges AS e
  MATCH ()-[f:ASSOCIATED {superseded_by: e.id}]->()
  USING INDEX SEEK f:ASSOCIATED(memory, superseded_by)
  WHERE f.memory = $memory
  SET f.superseded_by = null
  RETURN count(f) AS freed
}
UNWIND $ids AS id
MATCH (c:Concept {memory: $memory, id: id})
DETACH DELETE c
RETURN count(*) AS pruned, max(size([e IN edges WHERE type(e) = 'ASSOCIATED'])) AS associations
