// Records by their ids, as a plan of deletion shows them. $records: ids of this memory.
UNWIND $records AS id
MATCH (r:Record {memory: $memory, id: id})
RETURN r.id AS id, r.turn_id AS turn_id, coalesce(r.turn, -r.seq) AS turn, r.role AS role, r.speaker AS speaker, r.at AS at,
       r.text AS text, r.verbatim AS verbatim, r.gist_turn IS NOT NULL AS gist
ORDER BY turn, r.role <> 'user', r.id
