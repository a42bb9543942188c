// Some entries of a memory that is being imported, in the order of the chain; what they refer to stands before them.
// $rows: [{properties, embedding | null, contradicts: [{id, properties}]}]
MATCH (m:Memory {name: $memory, importing: $token})
SET m.lock = $token
WITH m
CALL () {
  UNWIND $rows AS row
  CREATE (e:Entry)
  SET e = row.properties, e.memory = $memory,
      e.embedding = toFloatList(row.embedding.floats), e.vector_bytes = row.embedding.bytes
  FOREACH (_ IN CASE WHEN row.properties.generated THEN [] ELSE [1] END | SET e:Record:Unindexed, e.memory_key = $memory_key)
  RETURN count(e) AS written
}
CALL () {
  UNWIND $rows AS row
  UNWIND row.properties.parents AS parent
  MATCH (e:Entry {memory: $memory, id: row.properties.id}), (o:Entry {memory: $memory, id: parent})
  CREATE (e)-[:SUPERSEDES]->(o)
  RETURN count(*) AS superseded
}
CALL () {
  UNWIND $rows AS row
  UNWIND row.properties.covers AS covered
  MATCH (e:Entry {memory: $memory, id: row.properties.id}), (o:Entry {memory: $memory, id: covered})
  CREATE (e)-[:COVERS]->(o)
  RETURN count(*) AS covered_entries
}
CALL () {
  UNWIND $rows AS row
  UNWIND row.contradicts AS against
  MATCH (e:Entry {memory: $memory, id: row.properties.id}), (o:Entry {memory: $memory, id: against.id})
  CREATE (e)-[c:CONTRADICTS]->(o)
  SET c = against.properties
  RETURN count(*) AS contradictions
}
RETURN written
