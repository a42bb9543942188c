// The namespaces that hold items, each once.
MATCH (i:Item)
WHERE i.memory = $memory AND i.path >= ''
RETURN DISTINCT i.namespace AS namespace
ORDER BY namespace
