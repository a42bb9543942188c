// First in every transaction of a lease's holder: lock the memory, check that the lease is still the caller's, renew it.
// $fence: the number that came with the lease; $seconds: for how long it is renewed. No row if the lease was lost.
MATCH (m:Memory {name: $memory})
SET m.lock = $owner
WITH m WHERE m.lease_fence = $fence AND m.lease_owner = $owner
  AND m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
SET m.lease_until = datetime() + duration({milliseconds: toInteger($seconds * 1000)})
RETURN true AS held
