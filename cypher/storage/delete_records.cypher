// Delete a memory's records with all their relationships, in transactions of 500.
MATCH (r:Record) WHERE r.memory = $memory
CALL (r) { DETACH DELETE r } IN TRANSACTIONS OF 500 ROWS
