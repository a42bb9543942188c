// The proof of an erasure: erased entries that still have something of their value. $ids: of entries.
UNWIND $ids AS id
MATCH (e:Entry {memory: $memory, id: id})
WHERE e.text IS NOT NULL OR e.salt IS NOT NULL OR e.semantic_hash IS NOT NULL OR e.embedding IS NOT NULL
   OR e.vector_bytes IS NOT NULL OR e.words IS NOT NULL OR EXISTS { (e)-[:MENTIONS|WAS_MENTIONED]->() }
RETURN e.id AS id
