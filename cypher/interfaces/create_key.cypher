// Keep a new key (its hash, never the key) and bind it to memories, the first of which is its own; no row if one is missing.
// $key: its properties; $days: until it expires, null for never.
UNWIND range(0, size($memories) - 1) AS place
MATCH (m:Memory {name: $memories[place]})
WHERE m.deleting IS NULL
WITH collect({memory: m, place: place}) AS found
WHERE size(found) = size($memories)
CREATE (k:Key)
SET k = $key, k.created_at = datetime(),
    k.expires_at = CASE WHEN $days IS NOT NULL THEN datetime() + duration({seconds: toInteger($days * 86400)}) END
WITH k, found
UNWIND found AS one
WITH k, one.memory AS memory, one.place AS place
CREATE (k)-[:OPENS {place: place}]->(memory)
RETURN k.id AS id, count(*) AS memories
