// Notes that share a rare name with a note: a row for each name, with the ids of the others. $note: id; $shelf: which
// index; $rare: records that mention such a name at most.
MATCH (n:Note {memory: $memory, id: $note})-[:MENTIONS]->(c:Concept)
WHERE c.kind = 'name' AND c.mentions <= $rare
MATCH (c)<-[:MENTIONS]-(o:Note)
WHERE o.shelf = $shelf AND o.id <> $note
RETURN c.label AS label, collect(o.id) AS ids
ORDER BY label
