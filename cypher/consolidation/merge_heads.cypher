// What decides which of two concepts absorbs the other, and how much a merge would move. $ids: concept ids.
UNWIND $ids AS id
MATCH (c:Concept {memory: $memory, id: id})
USING INDEX SEEK c:Concept(memory, id)
RETURN c {.*, embedding: null, vector_bytes: null, created_at: null} AS properties, COUNT { (c)--() } AS degree
