// Note that a request of a key is done, or, where it failed, that it was never begun. $key, $id, $done.
MATCH (k:Key {id: $key})-[:ASKED]->(r:Request {id: $id})
SET r.done = $done
WITH r WHERE NOT $done
DETACH DELETE r
