// One page of current entries with their vectors, in the order of the chain: what summaries are made of.
// $after: place of the page's predecessor; $page: rows; $dimensions: of a vector; $ids: only these, null for all.
// $at: time (ISO) as of which they are `disputed`, a later one than any for now.
// `parties`: ids of entries whose disputes began with this one, or may have ended with it.
CALL () {
  WITH 1 AS one WHERE $ids IS NULL
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, seq)
  WHERE e.memory = $memory AND e.seq > $after
  WITH e ORDER BY e.memory, e.seq LIMIT $page
  RETURN e
  UNION ALL
  WITH 1 AS one WHERE $ids IS NOT NULL
  UNWIND $ids AS id
  MATCH (e:Entry {memory: $memory, id: id})
  USING INDEX SEEK e:Entry(memory, id)
  RETURN e
}
WITH e ORDER BY e.seq
RETURN e.seq AS seq, e.id AS id, e.at AS at, e.field_key AS field_key, e.text AS text,
       NOT e.generated AND e.erased_at IS NULL AND NOT EXISTS { (:Entry)-[:SUPERSEDES]->(e) } AS current,
       EXISTS { MATCH (e)-[:CONTRADICTS]-(o:Entry)
         WHERE o.at <= $at AND o.erased_at IS NULL
           AND NOT EXISTS { MATCH (e)<-[:SUPERSEDES]-(z:Entry)-[:SUPERSEDES]->(o) WHERE z.at <= $at }
           AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(e) WHERE z.at <= $at AND z.ia_author = e.ia_author }
           AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(o) WHERE z.at <= $at AND z.ia_author = o.ia_author }
       } AS disputed,
       e.parents AS parents,
       CASE WHEN e.generated AND e.entry_type = 'conflict' THEN e.covers
         ELSE COLLECT { MATCH (e)-[:SUPERSEDES]->(:Entry)-[:CONTRADICTS]-(o:Entry) RETURN o.id } END AS parties,
       CASE WHEN e.embedding IS NULL THEN null ELSE vector(e.embedding, $dimensions, FLOAT32) END AS embedding
