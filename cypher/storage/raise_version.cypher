// Number a change of a memory, last in its transaction, and give it a stamp that no other state of any memory has.
// `gate`: see working_set/lock. $marks: of all that the change touches, kept behind the stamp before it until $kept later changes; null if unknown.
MATCH (m:Memory {name: $memory})
WITH m, coalesce(m.version, 0) + 1 AS version, coalesce(m.stamp, '') AS before
SET m.version = version, m.stamp = randomUUID(), m.gate = 0,
    m['touched_' + toString(version % $kept)] = [before] + $marks
RETURN version, m.stamp AS stamp
