// One episode with its words, by record id, else by the client's turn id: the turn before its reply. `found` is null
// if there is none; no row if there is no such memory. $id: either id.
MATCH (m:Memory {name: $memory})
CALL () {
  OPTIONAL MATCH (r:Record)
  WHERE r.memory = $memory AND r.kind = 'episode' AND (r.id = $id OR r.turn_id = $id)
  RETURN r ORDER BY r.id = $id DESC, r.role DESC, r.turn, r.id LIMIT 1
}
RETURN CASE WHEN r IS NOT NULL THEN
  {id: r.id, turn_id: r.turn_id, turn: r.turn, role: r.role, speaker: r.speaker, session: r.session, at: r.at,
   text: r.text, verbatim: coalesce(r.verbatim, r.text), gist_turn: r.gist_turn, gist_by: r.gist_by,
   state: CASE WHEN r.resting THEN 'resting' WHEN r.verbatim IS NOT NULL THEN 'gist' ELSE 'verbatim' END}
  END AS found
