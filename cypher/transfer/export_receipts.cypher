// One page of what a memory keeps to answer repeated writes. $after: the key of the page's predecessor; $page: rows.
MATCH (r:Receipt)
USING INDEX SEEK r:Receipt(memory, ia_author, idempotency_key)
WHERE r.memory = $memory AND r.ia_author >= $after[0] AND r.idempotency_key > ''
WITH r, [r.ia_author, r.idempotency_key] AS key
WHERE key > $after
WITH r, key ORDER BY key LIMIT $page
RETURN key, properties(r) AS properties
