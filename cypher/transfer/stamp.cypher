// The stamp of a memory's state, by which a later change is known; no row if there is none.
MATCH (m:Memory {name: $memory})
RETURN coalesce(m.stamp, '') AS stamp
