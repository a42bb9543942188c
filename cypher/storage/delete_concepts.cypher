// Delete a memory's concepts with all their relationships, in transactions of 500.
MATCH (c:Concept) WHERE c.memory = $memory
CALL (c) { DETACH DELETE c } IN TRANSACTIONS OF 500 ROWS
