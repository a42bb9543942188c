// Delete the items that adapters keep beside a memory; by 500.
MATCH (i:Item)
WHERE i.memory = $memory AND i.id > ''
CALL (i) { DELETE i } IN TRANSACTIONS OF 500 ROWS
