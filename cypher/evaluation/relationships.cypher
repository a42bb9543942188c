// Every relationship at a node of a memory, whatever its type, with all its properties: for a checksum.
MATCH (n)
WHERE n.memory = $memory OR (n:Memory AND n.name = $memory)
MATCH (n)-[r]-()
WITH DISTINCT r
RETURN elementId(startNode(r)) AS source, elementId(endNode(r)) AS target, type(r) AS type, properties(r) AS properties
