// Some entries wait for a vector no longer; what processes know of their keys is read afresh. $ids: theirs.
MATCH (m:Memory {name: $memory})
SET m.bare = [id IN coalesce(m.bare, []) WHERE NOT id IN $ids], m.entry_epoch = coalesce(m.entry_epoch, 0) + 1
RETURN size(m.bare) AS left
