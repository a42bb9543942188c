// Delete the concepts that merges of a memory absorbed, with all their relationships, in transactions of 500.
MATCH (c:Merged) WHERE c.memory = $memory
CALL (c) { DETACH DELETE c } IN TRANSACTIONS OF 500 ROWS
