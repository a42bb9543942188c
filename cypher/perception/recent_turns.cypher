// The window: the last $count records of a memory, oldest first.
MATCH (m:Memory {name: $memory})
CALL (m) {
  MATCH (r:Record)
  USING INDEX SEEK r:Record(memory, turn)
  WHERE r.memory = $memory AND r.turn > m.turn - $count
  RETURN r ORDER BY r.turn DESC, r.role ASC, r.at DESC, r.created_at DESC LIMIT $count
}
WITH m, r ORDER BY r.turn, r.role DESC, r.at, r.created_at
RETURN r.id AS id, r.turn AS turn, r.session AS session, r.text AS text, r.speaker AS speaker, r.role AS role, r.at AS at
