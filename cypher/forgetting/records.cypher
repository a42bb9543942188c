// One page of all that was said, by id, and of contract entries and notes, whose turn is below 0: its words, its original words where they became a gist, what it states.
// $after: the last id of the page before ("" at first); $page: rows.
MATCH (r:Record)
WHERE r.memory = $memory AND r.id > $after
WITH r ORDER BY r.id LIMIT $page
RETURN r.id AS id, r.turn_id AS turn_id, coalesce(r.turn, -r.seq) AS turn, r.role AS role, r.speaker AS speaker, r.at AS at, r.text AS text,
       r.verbatim AS verbatim, r.associations AS associations, r.gist_turn IS NOT NULL AS gist
