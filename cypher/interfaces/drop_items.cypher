// Delete items by their ids; gives the turns that told them. $ids: of this memory.
UNWIND $ids AS id
MATCH (i:Item {memory: $memory, id: id})
WITH i, i.id AS dropped, i.turn AS turn
DELETE i
RETURN dropped AS id, turn
