// Open, or take up again, the run record of the sleep that is due; no row if no turn was closed since the last one,
// or if what was due at $due (ISO, null for no date) was done meanwhile. A run left unfinished at an earlier turn is
// taken over by this one. $owner, $fence: of the lease.
MATCH (m:Memory {name: $memory})
WHERE m.turn > coalesce(m.slept_turn, 0)
  AND ($due IS NULL OR NOT EXISTS {
    MATCH (d:Sleep) WHERE d.memory = $memory AND d.state = 'done' AND d.due >= datetime($due)
  })
CALL (m) {
  MATCH (old:Sleep)
  WHERE old.memory = $memory AND old.turn < m.turn AND old.state IN ['running', 'failed']
  SET old.state = 'abandoned'
  RETURN count(old) AS abandoned
}
MERGE (s:Sleep {memory: $memory, turn: m.turn})
ON CREATE SET s.since = coalesce(m.slept_turn, 0), s.started_at = datetime(), s.attempts = 0
SET s.state = 'running', s.owner = $owner, s.fence = $fence, s.attempts = s.attempts + 1, s.failure = null,
    s.due = CASE WHEN $due IS NULL THEN s.due ELSE datetime($due) END
RETURN s.turn AS turn, s.since AS since, s.report AS report
