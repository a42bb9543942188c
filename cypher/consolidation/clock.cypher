// How many turns a memory has closed, and up to which one it has slept; no row if there is none.
MATCH (m:Memory {name: $memory})
RETURN m.turn AS clock, coalesce(m.slept_turn, 0) AS slept
