// Note that a key was used just now.
MATCH (k:Key {id: $id})
SET k.last_used_at = datetime()
