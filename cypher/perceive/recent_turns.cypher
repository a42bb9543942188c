// The window: the last $count records of a memory, oldest first, and the memory's clock.
MATCH (m:Memory {name: $memory})
CALL (m) {
  MATCH (r:Record)
  WHERE r.memory = $memory AND r.turn > m.turn - $count
  RETURN r ORDER BY r.turn DESC, r.role ASC LIMIT $count
}
WITH m, r ORDER BY r.turn, r.role DESC
RETURN m.turn AS clock, r.text AS text, r.speaker AS speaker, r.role AS role, r.at AS at
