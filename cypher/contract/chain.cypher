// One page of a memory's chain, in its order: what verification reads. $after: place of the page's predecessor; $page: rows.
MATCH (e:Entry)
USING INDEX SEEK e:Entry(memory, seq)
WHERE e.memory = $memory AND e.seq > $after
// By both, as the index has them: so the page ends the search.
WITH e ORDER BY e.memory, e.seq LIMIT $page
RETURN e.seq AS seq, e.id AS id, e.at AS created_at, e.ia_author AS ia_author, e.entry_type AS entry_type,
       e.claim AS kind, e.field_key AS field_key, e.text AS value, e.salt AS salt, e.value_hash AS value_hash,
       e.confidence AS confidence_score, e.schema_hash AS schema_hash, e.parents AS parents, e.covers AS covers,
       e.generated AS generated, e.previous AS previous, e.hash AS hash, e.signature AS signature,
       e.erased_at IS NOT NULL AS erased, toString(e.created_at) AS stamp, e:Record AS searched, e.speaker AS speaker,
       COLLECT { MATCH (e)-[:SUPERSEDES]->(o:Entry) RETURN o.id } AS supersedes,
       COLLECT { MATCH (e)-[:COVERS]->(o:Entry) RETURN o.id } AS covered,
       COLLECT { MATCH (e)-[:CONTRADICTS]->(o:Entry) RETURN o.id } AS contradicts
ORDER BY seq
