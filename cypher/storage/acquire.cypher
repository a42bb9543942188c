// Take the lease of a memory if nobody holds it: the fence rises, so an earlier holder can commit nothing more.
// $owner: who takes it; $seconds: for how long. One row; `fence` is null where somebody else holds it until `until`.
// No row if there is no such memory, or it is unusable now.
MATCH (m:Memory {name: $memory})
SET m.lock = $owner
WITH m, m.lease_owner IS NULL OR m.lease_until <= datetime() AS free
WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END |
  SET m.lease_owner = $owner, m.lease_fence = coalesce(m.lease_fence, 0) + 1,
      m.lease_until = datetime() + duration({milliseconds: toInteger($seconds * 1000)}))
RETURN CASE WHEN free THEN m.lease_fence END AS fence, m.lease_owner AS owner,
       toString(datetime({datetime: m.lease_until, timezone: 'Z'})) AS until
