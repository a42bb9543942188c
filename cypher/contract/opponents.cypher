// The open disputes that some entries are a side of. $ids. Rows of id, opponents (ids of the other sides) and covers: of a
// conflict entry, what it tells of, the newcomer first, else []. Unknown ids are left out.
UNWIND $ids AS id
MATCH (e:Entry {memory: $memory, id: id})
USING INDEX SEEK e:Entry(memory, id)
RETURN e.id AS id, CASE WHEN e.generated AND e.entry_type = 'conflict' THEN e.covers ELSE [] END AS covers,
       COLLECT {
         MATCH (e)-[:CONTRADICTS]-(o:Entry)
         WHERE e.erased_at IS NULL AND o.erased_at IS NULL
           AND NOT EXISTS { MATCH (e)<-[:SUPERSEDES]-(:Entry)-[:SUPERSEDES]->(o) }
           AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(e) WHERE z.ia_author = e.ia_author }
           AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(o) WHERE z.ia_author = o.ia_author }
         RETURN o.id
       } AS opponents
