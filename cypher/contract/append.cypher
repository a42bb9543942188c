// Append entries to the chain of a memory that is locked. $seq, $hash: of the last of them.
// $entries: [{properties, vector | null}] of authors, which recall reads; $remarks: [{properties}] that were generated.
// $supersedes: [[id, id of a parent]]; $covers: [[id of a remark, id]]; $contradicts: [{source, target, properties}]
// $mentions: [{record, id, created, kind, key, vector | null, mention}]: `created` holds the properties of a new concept,
// which another entry may have made meanwhile; $receipts: [properties]; $clock: turn of the memory; $bare: ids of those
// without a vector, which wait for one. One row: the last place, and `mentioned`, ids of the concepts that are mentioned
MATCH (m:Memory {name: $memory})
SET m.entries = $seq, m.entry_hash = $hash, m.bare = coalesce(m.bare, []) + $bare
WITH m
CALL () {
  UNWIND $entries AS row
  CREATE (e:Record:Entry:Unindexed)
  SET e = row.properties,
      e.embedding = toFloatList(row.vector.floats), e.vector_bytes = row.vector.bytes,
      e.created_at = datetime(row.properties.at)
  RETURN count(e) AS entries
}
CALL () {
  UNWIND $remarks AS row
  CREATE (e:Entry)
  SET e = row.properties, e.created_at = datetime(row.properties.at)
  RETURN count(e) AS remarks
}
CALL () {
  UNWIND $supersedes AS pair
  MATCH (e:Entry {memory: $memory, id: pair[0]}), (o:Entry {memory: $memory, id: pair[1]})
  USING INDEX SEEK e:Entry(memory, id)
  USING INDEX SEEK o:Entry(memory, id)
  CREATE (e)-[:SUPERSEDES]->(o)
  RETURN count(*) AS superseded
}
CALL () {
  UNWIND $covers AS pair
  MATCH (e:Entry {memory: $memory, id: pair[0]}), (o:Entry {memory: $memory, id: pair[1]})
  USING INDEX SEEK e:Entry(memory, id)
  USING INDEX SEEK o:Entry(memory, id)
  CREATE (e)-[:COVERS]->(o)
  RETURN count(*) AS covered
}
CALL () {
  UNWIND $contradicts AS row
  MATCH (e:Entry {memory: $memory, id: row.source}), (o:Entry {memory: $memory, id: row.target})
  USING INDEX SEEK e:Entry(memory, id)
  USING INDEX SEEK o:Entry(memory, id)
  CREATE (e)-[c:CONTRADICTS]->(o)
  SET c = row.properties
  RETURN count(c) AS contradictions
}
CALL () {
  UNWIND $mentions AS row
  MATCH (e:Record {memory: $memory, id: row.record})
  USING INDEX SEEK e:Record(memory, id)
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
  SET c.mentions = c.mentions + 1, c.last_turn = CASE WHEN $clock > c.last_turn THEN $clock ELSE c.last_turn END
  MERGE (e)-[s:MENTIONS]->(c)
  ON CREATE SET s += row.mention
  RETURN collect(DISTINCT c.id) AS mentioned
}
CALL () {
  UNWIND $receipts AS row
  CREATE (r:Receipt)
  SET r = row
  RETURN count(r) AS kept
}
RETURN m.entries AS seq, mentioned
