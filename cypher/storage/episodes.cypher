// The newest episodes of a memory, newest first; no row if there is no such memory.
// $state: verbatim, gist or resting, null for any; $before: only of turns below this one, null for all; $limit: episodes.
MATCH (m:Memory {name: $memory})
CALL () {
  MATCH (r:Record)
  WHERE r.memory = $memory AND r.kind = 'episode' AND ($before IS NULL OR r.turn < $before)
  WITH r, CASE WHEN r.resting THEN 'resting' WHEN r.verbatim IS NOT NULL THEN 'gist' ELSE 'verbatim' END AS state
  WHERE $state IS NULL OR state = $state
  WITH r, state ORDER BY r.turn DESC, r.role ASC, r.id LIMIT $limit
  RETURN collect({id: r.id, turn_id: r.turn_id, turn: r.turn, role: r.role, speaker: r.speaker, session: r.session,
                  at: r.at, text: r.text, verbatim: coalesce(r.verbatim, r.text), gist_turn: r.gist_turn,
                  gist_by: r.gist_by, state: state}) AS found
}
RETURN found
