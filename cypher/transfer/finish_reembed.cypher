// Remove the marks of a finished re-embedding, in transactions of 1,000.
CALL () {
  MATCH (n:Concept|Merged) WHERE n.memory = $memory AND n.reembedded IS NOT NULL
  RETURN n
  UNION
  MATCH (n:Record) WHERE n.memory = $memory AND n.reembedded IS NOT NULL
  RETURN n
}
CALL (n) { REMOVE n.reembedded } IN TRANSACTIONS OF 1000 ROWS
