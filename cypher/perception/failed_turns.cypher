// The turns whose extraction failed, oldest first, each with the $count records before it (its window).
MATCH (r:Record)
WHERE r.memory = $memory AND r.extraction = 'failed'
WITH r ORDER BY r.turn
CALL (r) {
  MATCH (w:Record)
  WHERE w.memory = $memory AND w.turn >= r.turn - $count AND w.turn < r.turn
  WITH w ORDER BY w.turn DESC, w.role LIMIT $count
  WITH w ORDER BY w.turn, w.role DESC
  RETURN collect({text: coalesce(w.verbatim, w.text), speaker: w.speaker, role: w.role, at: w.at}) AS window
}
RETURN r.turn_id AS id, r.text AS text, r.speaker AS speaker, r.session AS session, r.at AS at, window
