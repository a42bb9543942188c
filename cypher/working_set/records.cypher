// One page of a memory's records, by id, as parallel arrays. $after: the id before the page; $page: records.
// An entry of a contract and a note of a workspace belong to no turn: they get places far from all turns. `entries`: of an
// entry [type, key, whether superseded, whether disputed], of a note [path, first line, last line], [] for other records.
// `vectors`: -1 in place of one that is not there. $vectors: whether all are wanted, or only those that no index has yet (0 in
// place of others).
MATCH (r:Record)
USING INDEX SEEK r:Record(memory, id)
WHERE r.memory = $memory AND r.id > $after
WITH r ORDER BY r.memory, r.id LIMIT $page
RETURN collect(r.id) AS ids, collect([r.turn_id, coalesce(r.turn, -2 * r.seq), r.role, r.speaker, r.session, r.at, r.text, r.kind]) AS said,
       collect(CASE WHEN r:Episode THEN [] WHEN r:Entry THEN
         [r.entry_type, r.field_key, EXISTS { (:Entry)-[:SUPERSEDES]->(r) }, EXISTS {
           MATCH (r)-[:CONTRADICTS]-(o:Entry)
           WHERE o.erased_at IS NULL
             AND NOT EXISTS { MATCH (r)<-[:SUPERSEDES]-(:Entry)-[:SUPERSEDES]->(o) }
             AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(o) WHERE z.ia_author = o.ia_author }
         }] WHEN r:Note THEN [r.path, r.start, r.end] ELSE [] END) AS entries,
       collect(r.gist_turn IS NOT NULL) AS gists, collect(r.resting IS NOT NULL) AS resting,
       collect(coalesce(r.associations, [])) AS associations,
       collect([(r)-[:MENTIONS]->(c) | c.id]) AS concepts,
       collect(CASE WHEN $vectors OR r:Unindexed
                    THEN coalesce(r.vector_bytes, vector(r.embedding, size(r.embedding), FLOAT32), -1)
                    WHEN r.embedding IS NULL THEN -1 ELSE 0 END)
         AS vectors
