// For the proof that something is forgotten: the texts that every node of a memory holds, whatever its labels.
// $skipped: keys that hold no content. Rows of ids (one) and texts ([[key, text | [text]], …]).
MATCH (n)
WHERE n.memory = $memory OR (n:Memory AND n.name = $memory)
WITH [n.id] AS ids, [key IN keys(n) WHERE NOT key IN $skipped AND (n[key] IS :: STRING OR n[key] IS :: LIST<STRING NOT NULL>)
                     | [key, n[key]]] AS texts
WITH ids, texts WHERE size(texts) > 0
RETURN ids, texts
