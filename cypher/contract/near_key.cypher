// Of a locked key with many entries, those that one new entry is compared with, and what tells their state: instead of
// all of them. $key; $vector: of the new value; $hash: its semantic hash; $parents: ids that it names; $since: time (ISO)
// from which claims count; $remarks: the types of entries that claim nothing; $near: how many nearest claims; $recent: how
// many of the latest claims, and entries; $dimensions: of vectors. One row:
//   count    claims of the key that have a vector, superseded ones, too
//   entries  as by `contract/lock_keys`, in order, and of each whether it is current, and the ids that it contradicts: the
//            nearest current claims, the first with that hash, those without a vector, the parents, the latest claims and
//            entries, the latest generated summary; the other sides of their disputes; and all that supersedes any of them
CALL () {
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, field_key, seq)
  WHERE e.memory = $memory AND e.field_key = $key AND e.seq > 0 AND NOT e.generated AND e.erased_at IS NULL
    AND NOT e.entry_type IN $remarks AND e.embedding IS NOT NULL
  RETURN count(e) AS count
}
CALL () {
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, field_key, seq)
  WHERE e.memory = $memory AND e.field_key = $key AND e.seq > 0 AND NOT e.generated AND e.erased_at IS NULL
    AND NOT e.entry_type IN $remarks AND e.at >= $since AND e.embedding IS NOT NULL
    AND NOT EXISTS { (:Entry)-[:SUPERSEDES]->(e) }
  WITH e, vector.similarity.cosine(e.embedding, $vector) AS cosine
  ORDER BY cosine DESC LIMIT $near
  RETURN collect(e) AS nearest
}
CALL () {
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, field_key, seq)
  WHERE e.memory = $memory AND e.field_key = $key AND e.seq > 0 AND e.semantic_hash = $hash AND NOT e.generated
    AND e.erased_at IS NULL AND NOT e.entry_type IN $remarks AND e.at >= $since AND NOT e.id IN $parents
    AND NOT EXISTS { (:Entry)-[:SUPERSEDES]->(e) }
  WITH e ORDER BY e.seq LIMIT 1
  RETURN collect(e) AS same
}
CALL () {
  UNWIND $parents AS id
  MATCH (e:Entry {memory: $memory, id: id})
  USING INDEX SEEK e:Entry(memory, id)
  WHERE e.field_key = $key
  RETURN collect(e) AS named
}
CALL () {
  MATCH (m:Memory {name: $memory})
  UNWIND m.bare AS id
  MATCH (e:Entry {memory: $memory, id: id})
  USING INDEX SEEK e:Entry(memory, id)
  WHERE e.field_key = $key
  WITH e ORDER BY e.seq DESC LIMIT $near
  RETURN collect(e) AS bare
}
CALL () {
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, field_key, seq)
  WHERE e.memory = $memory AND e.field_key = $key AND e.seq > 0
  WITH e ORDER BY e.seq DESC LIMIT $recent
  RETURN collect(e) AS latest
}
CALL () {
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, field_key, seq)
  WHERE e.memory = $memory AND e.field_key = $key AND e.seq > 0 AND NOT e.generated AND e.erased_at IS NULL
    AND NOT e.entry_type IN $remarks AND e.embedding IS NOT NULL
  WITH e ORDER BY e.seq DESC LIMIT $recent
  RETURN collect(e) AS claims
}
CALL () {
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, field_key, seq)
  WHERE e.memory = $memory AND e.field_key = $key AND e.seq > 0 AND e.generated AND e.entry_type = 'summary'
  WITH e ORDER BY e.seq DESC LIMIT 1
  RETURN collect(e) AS summary
}
UNWIND nearest + same + named + bare + latest + claims + summary AS e
WITH DISTINCT count, e
OPTIONAL MATCH (e)-[:CONTRADICTS]-(o:Entry)
WITH count, collect(DISTINCT e) + collect(DISTINCT o) AS sides
UNWIND sides AS e
WITH DISTINCT count, e
OPTIONAL MATCH (z:Entry)-[:SUPERSEDES]->(e)
WITH count, collect(DISTINCT e) + collect(DISTINCT z) AS every
UNWIND every AS e
WITH DISTINCT count, e ORDER BY e.seq
RETURN count,
       collect([e.seq, e.id, e.ia_author, e.entry_type, e.generated, e.text, e.semantic_hash, e.parents, e.covers,
                e.erased_at IS NOT NULL, vector(e.embedding, $dimensions, FLOAT32), e.at, e.confidence,
                NOT EXISTS { (:Entry)-[:SUPERSEDES]->(e) },
                COLLECT { MATCH (e)-[:CONTRADICTS]-(o:Entry) RETURN o.id }]) AS entries
