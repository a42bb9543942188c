// Entries with what follows from later ones, the newest first; of one key ($key), or one author ($author), or all.
// $ids: only these (null: any); $at: as it was at that time (ISO); $since, $before: only places from the one on,
// before the other; $limit: how many.
// $history: superseded and erased ones, too; $generated: those of the backend, too.
// A dispute is open until one entry supersedes both sides, or the author of one side supersedes or erases it.
CALL () {
  WITH 1 AS one WHERE $ids IS NOT NULL
  UNWIND $ids AS id
  MATCH (e:Entry {memory: $memory, id: id})
  USING INDEX SEEK e:Entry(memory, id)
  RETURN e
  UNION ALL
  WITH 1 AS one WHERE $ids IS NULL AND $key IS NOT NULL
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, field_key, seq)
  WHERE e.memory = $memory AND e.field_key = $key AND $since <= e.seq < $before
  RETURN e
  UNION ALL
  WITH 1 AS one WHERE $ids IS NULL AND $key IS NULL AND $author IS NOT NULL
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, ia_author, seq)
  WHERE e.memory = $memory AND e.ia_author = $author AND $since <= e.seq < $before
  RETURN e
  UNION ALL
  WITH 1 AS one WHERE $ids IS NULL AND $key IS NULL AND $author IS NULL
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, seq)
  WHERE e.memory = $memory AND $since <= e.seq < $before
  RETURN e
}
WITH e
WHERE e.at <= $at AND ($author IS NULL OR e.ia_author = $author) AND ($generated OR NOT e.generated)
  AND ($history OR (e.erased_at IS NULL AND NOT EXISTS { (z:Entry)-[:SUPERSEDES]->(e) WHERE z.at <= $at }))
WITH e ORDER BY e.seq DESC LIMIT $limit
RETURN e.id AS id, e.seq AS seq, e.at AS created_at, e.ia_author AS ia_author, e.entry_type AS entry_type,
       e.claim AS kind, e.field_key AS field_key, e.text AS field_value, e.confidence AS confidence_score,
       e.schema_hash AS schema_hash, e.parents AS parent_entry_ids, e.covers AS covers, e.generated AS generated,
       toString(e.erased_at) AS erased_at, e.previous AS previous_hash, e.hash AS hash, e.signature AS signature,
       EXISTS { (z:Entry)-[:SUPERSEDES]->(e) WHERE z.at <= $at } AS is_superseded,
       e.erased_at IS NULL AND EXISTS {
         MATCH (e)-[:CONTRADICTS]-(o:Entry)
         WHERE o.at <= $at AND o.erased_at IS NULL
           AND NOT EXISTS { MATCH (e)<-[:SUPERSEDES]-(z:Entry)-[:SUPERSEDES]->(o) WHERE z.at <= $at }
           AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(e) WHERE z.at <= $at AND z.ia_author = e.ia_author }
           AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(o) WHERE z.at <= $at AND z.ia_author = o.ia_author }
       } AS disputed
ORDER BY seq DESC
