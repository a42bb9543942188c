// The proof of a deletion: nodes and relationships of whatever label or type that still carry the memory's name.
CALL () {
  MATCH (n) WHERE n.memory = $memory OR (n:Memory AND n.name = $memory)
  RETURN count(n) AS nodes
}
CALL () {
  MATCH ()-[r]->() WHERE r.memory = $memory
  RETURN count(r) AS relationships
}
RETURN nodes + relationships AS count
