// One page of a memory's items, by namespace and key. $after: the key of the page's predecessor; $page: rows.
MATCH (i:Item)
USING INDEX SEEK i:Item(memory, path)
WHERE i.memory = $memory AND i.path >= $after[0]
WITH i, [i.path, i.key, ''] AS key
WHERE key > $after
WITH i, key ORDER BY key LIMIT $page
RETURN key, properties(i) AS properties
