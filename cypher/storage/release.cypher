// Give the lease back, if the caller still holds it; the fence stays, so that it can only rise.
// Locked before it is read: another worker may be taking over an expired lease at the same time.
MATCH (m:Memory {name: $memory})
SET m.lock = $owner
WITH m WHERE m.lease_fence = $fence AND m.lease_owner = $owner
REMOVE m.lease_owner, m.lease_until
RETURN m.name AS name
