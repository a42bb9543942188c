// Records, and the replies to those that a user said. $records: their ids.
UNWIND $records AS id
MATCH (one:Record {memory: $memory, id: id})
OPTIONAL MATCH (reply:Record {memory: $memory, turn: one.turn})
WHERE one.role = 'user' AND reply.role <> 'user'
UNWIND [one, reply] AS r
WITH DISTINCT r WHERE r IS NOT NULL
RETURN r.id AS id, r.turn_id AS turn_id, coalesce(r.turn, -r.seq) AS turn, r.role AS role, r.speaker AS speaker, r.at AS at,
       r.text AS text, r.verbatim AS verbatim, r.gist_turn IS NOT NULL AS gist
ORDER BY turn, r.role <> 'user', r.id
