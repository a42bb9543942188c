// The vectors of some records of a memory. $ids. One row.
UNWIND $ids AS id
MATCH (r:Record {memory: $memory, id: id})
USING INDEX SEEK r:Record(memory, id)
WHERE r.embedding IS NOT NULL
RETURN collect([r.id, r.embedding]) AS vectors
