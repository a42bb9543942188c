// Keep items, each in place of what had its id; gives the turn that told the replaced one. No row: no such memory.
// $rows: [{id, path, namespace, key, value, turn, number}]; an item that is replaced keeps its number.
MATCH (m:Memory {name: $memory})
SET m.lock = 'items'
WITH m WHERE m.deleting IS NULL
UNWIND $rows AS row
MERGE (i:Item {memory: $memory, id: row.id})
ON CREATE SET i.number = row.number, i.created_at = datetime()
WITH i, row, i.turn AS replaced
SET i.path = row.path, i.namespace = row.namespace, i.key = row.key, i.value = row.value, i.turn = row.turn,
    i.updated_at = datetime()
RETURN i.id AS id, replaced
