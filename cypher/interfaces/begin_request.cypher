// Note that a key begins a request, unless it is noted already; gives what is noted. No row: no such key.
// $key: the key's id; $id: of the request; $fingerprint: of what was asked; $claim: of this call; $lasting: seconds.
MATCH (k:Key {id: $key})
SET k.asked_at = datetime()  // its lock: of two equal requests one comes first
WITH k
CALL (k) {
  MATCH (k)-[:ASKED]->(old:Request)
  WHERE old.at < datetime() - duration({seconds: $lasting})
  DETACH DELETE old
}
MERGE (k)-[:ASKED]->(r:Request {id: $id})
ON CREATE SET r.fingerprint = $fingerprint, r.claim = $claim, r.at = datetime(), r.done = false
RETURN r.claim = $claim AS mine, r.fingerprint AS fingerprint, r.done AS done, toString(r.at) AS at
