// The stamp of a memory's state, by which a later change is known, and whether it has what no archive holds: notes of a
// workspace. No row if there is no such memory.
MATCH (m:Memory {name: $memory})
RETURN coalesce(m.stamp, '') AS stamp,
       EXISTS { MATCH (r:Record) WHERE r.memory = $memory AND r.role = 'note' } AS notes
