// One key by its public id: what it opens and whether it still does; no row if there is none.
// A key whose own memory is gone opens nothing.
MATCH (k:Key {id: $id})
OPTIONAL MATCH (k)-[o:OPENS]->(m:Memory)
WITH k, o.place AS place, m.name AS memory ORDER BY place
WITH k, collect(place) AS places, collect(memory) AS opened
WITH k, CASE WHEN 0 IN places THEN opened ELSE [] END AS memories
RETURN k.id AS id, k.name AS name, k.hash AS hash, k.rights AS rights, memories, k.session AS session,
       toString(k.created_at) AS created_at, toString(k.expires_at) AS expires_at,
       toString(k.revoked_at) AS revoked_at, toString(k.last_used_at) AS last_used_at,
       coalesce(k.expires_at <= datetime(), false) AS expired
