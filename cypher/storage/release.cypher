// Give the lease back, if it is still ours; the fence stays, so that it can only rise.
// Locked before it is looked at: somebody may be taking over an expired lease at this very moment.
MATCH (m:Memory {name: $memory})
SET m.lock = $owner
WITH m WHERE m.lease_fence = $fence AND m.lease_owner = $owner
REMOVE m.lease_owner, m.lease_until
RETURN m.name AS name
