// Join notes to the concepts that they mention, the memory being locked. $done: [{id, passages | null}], notes that are
// done by this, with the packed vectors of their passages; $clock: turn.
// Returns how many mentions are new, ids of the concepts that have them, and how many notes are done.
// $mentions: [{record, id, created, kind, key, vector | null, mention}]: `created` holds the properties of a new concept.
CALL () {
  UNWIND $mentions AS row
  MATCH (n:Note {memory: $memory, id: row.record})
  CALL (row) {
    WITH row WHERE row.created IS NULL
    MATCH (c:Concept {memory: $memory, id: row.id})
    USING INDEX SEEK c:Concept(memory, id)
    RETURN c
    UNION ALL
    WITH row WHERE row.created IS NOT NULL
    MERGE (c:Concept {memory: $memory, kind: row.kind, label_key: row.key})
    ON CREATE SET c:Unindexed, c += row.created, c.id = row.id,
                  c.embedding = toFloatList(row.vector.floats), c.vector_bytes = row.vector.bytes,
                  c.created_at = datetime()
    RETURN c
  }
  WITH n, c, row WHERE NOT EXISTS { (n)-[:MENTIONS]->(c) }
  CREATE (n)-[s:MENTIONS]->(c)
  SET s = row.mention, c.mentions = c.mentions + 1,
      c.last_turn = CASE WHEN $clock > c.last_turn THEN $clock ELSE c.last_turn END
  RETURN count(s) AS mentioned, collect(DISTINCT c.id) AS concepts
}
CALL () {
  UNWIND $done AS row
  MATCH (n:Note {memory: $memory, id: row.id})
  SET n.passages = row.passages
  REMOVE n.unlinked
  RETURN count(n) AS linked
}
RETURN mentioned, concepts, linked
