// Items by their ids. $ids: of this memory.
UNWIND $ids AS id
MATCH (i:Item {memory: $memory, id: id})
RETURN i.id AS id, i.namespace AS namespace, i.key AS key, i.value AS value, i.number AS number, i.turn AS turn,
       i.created_at AS created_at, i.updated_at AS updated_at
