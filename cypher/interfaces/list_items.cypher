// Items in a namespace and below it, in the order in which they were first kept. $path: the namespace; $last: at most
// so many, the last ones.
MATCH (i:Item)
WHERE i.memory = $memory AND i.path STARTS WITH $path
WITH i ORDER BY i.number DESC LIMIT $last
RETURN i.id AS id, i.namespace AS namespace, i.key AS key, i.value AS value, i.number AS number, i.turn AS turn,
       i.created_at AS created_at, i.updated_at AS updated_at
ORDER BY number
