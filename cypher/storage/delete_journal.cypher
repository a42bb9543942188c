// Delete what a memory notes about itself, its sleeps and what it forgot, in transactions of 500.
CALL () {
  MATCH (n:Sleep) WHERE n.memory = $memory
  RETURN n
  UNION
  MATCH (n:Forgetting) WHERE n.memory = $memory
  RETURN n
}
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS
