// For the proof that something is forgotten: the texts that every relationship of a memory's nodes holds, of any type.
// $skipped: keys that hold no content. Rows as in nodes_left; ids are those of both ends.
MATCH (n)-[r]->(x)
WHERE n.memory = $memory
WITH [n.id, x.id] AS ids, [key IN keys(r) WHERE NOT key IN $skipped AND (r[key] IS :: STRING OR r[key] IS :: LIST<STRING NOT NULL>)
                           | [key, r[key]]] AS texts
WITH ids, texts WHERE size(texts) > 0
RETURN ids, texts
