// Memories that should sleep now and that nobody is consolidating; of the whole database, or of $names only.
// $due: the night's date; a memory is due if something said before it has not been slept on, and no sleep for it is done.
// $idle: minutes since anybody spoke; $grown: turns since the last sleep; null: this is no reason.
// $rest, $longest: seconds after a first failure, doubled with each one more; what a dead worker left is no failure at first.
// One row each, in random order, so that workers seldom meet. $due comes back only where it is the reason.
MATCH (m:Memory)
WHERE ($names IS NULL OR m.name IN $names)
  AND m.turn > coalesce(m.slept_turn, 0)
  AND m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
  AND (m.lease_owner IS NULL OR m.lease_until <= datetime())
WITH m, coalesce(m.slept_turn, 0) AS slept, coalesce(m.heard_at, m.created_at) AS heard
WITH m, slept, heard, coalesce(COLLECT {
  MATCH (r:Record {memory: m.name}) WHERE r.turn > slept RETURN r.created_at ORDER BY r.turn LIMIT 1
}[0], heard) AS first
WITH m, slept, CASE
  WHEN first <= $due AND NOT EXISTS { MATCH (s:Sleep {memory: m.name, state: 'done'}) WHERE s.due >= $due } THEN 'night'
  WHEN $idle IS NOT NULL AND heard <= datetime() - duration({milliseconds: toInteger(coalesce($idle, 0) * 60000)})
    THEN 'idle'
  WHEN m.turn - slept >= $grown THEN 'grown'
END AS reason
WHERE reason IS NOT NULL
CALL (m, slept) {
  MATCH (s:Sleep {memory: m.name}) WHERE s.turn > slept AND s.state <> 'done'
  RETURN sum(s.attempts - CASE s.state WHEN 'running' THEN 1 ELSE 0 END) AS failures,
         max(coalesce(s.finished_at, s.started_at)) AS at
}
WITH m, reason, at, failures, toInteger($rest * 2 ^ (CASE WHEN failures > 20 THEN 20 ELSE failures END - 1)) AS rest
WHERE failures <= 0
   OR at + duration({seconds: CASE WHEN rest > $longest THEN $longest ELSE rest END}) <= datetime()
RETURN m.name AS memory, m.turn AS turn, m.embedding_model AS model, reason,
       CASE reason WHEN 'night' THEN $due END AS due
ORDER BY rand()
