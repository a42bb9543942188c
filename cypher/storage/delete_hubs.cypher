// Delete what leads from a memory's concepts to others, in transactions of 100 concepts: before the concepts, where one
// has more than 100 relationships (see storage/held), since to detach a hub's hundred thousand relationships along with
// 499 others takes more memory than a small server has.
MATCH (c:Concept) WHERE c.memory = $memory
CALL (c) {
  MATCH (c)-[a]->()
  DELETE a
} IN TRANSACTIONS OF 100 ROWS
