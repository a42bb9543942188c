// The open disputes of a memory: for each conflict entry, the oldest first, the pairs of it that nobody settled.
// $key: of this key only, null for any. One row a conflict: its id, key and time, and pairs [[id, id]].
MATCH (n:Entry)
USING INDEX SEEK n:Entry(memory, ia_author, seq)
WHERE n.memory = $memory AND n.ia_author = $backend AND n.seq > 0 AND n.entry_type = 'conflict'
  AND ($key IS NULL OR n.field_key = $key)
CALL (n) {
  MATCH (e:Entry {memory: $memory, id: n.covers[0]})-[c:CONTRADICTS]->(o:Entry)
  USING INDEX SEEK e:Entry(memory, id)
  WHERE o.id IN n.covers AND e.erased_at IS NULL AND o.erased_at IS NULL
    AND NOT EXISTS { MATCH (e)<-[:SUPERSEDES]-(:Entry)-[:SUPERSEDES]->(o) }
    AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(e) WHERE z.ia_author = e.ia_author }
    AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(o) WHERE z.ia_author = o.ia_author }
  WITH e, o, c ORDER BY o.seq
  RETURN collect([e.id, o.id, c.cosine, c.reason]) AS pairs
}
WITH n, pairs WHERE size(pairs) > 0
RETURN n.id AS id, n.seq AS seq, n.field_key AS field_key, n.at AS opened_at, pairs
ORDER BY seq
