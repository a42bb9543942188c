// Refuse a key from now on; no row if there is none. Revoking it again changes nothing.
MATCH (k:Key {id: $id})
SET k.revoked_at = coalesce(k.revoked_at, datetime())
RETURN k.id AS id
