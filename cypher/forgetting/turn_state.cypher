// Lock the memory and say where it stands, for taking a turn back. No row if it takes no writes now, or there is none.
// `slept`: the last turn that a sleep has seen, finished or not; `leased_by`: who consolidates it now.
MATCH (m:Memory {name: $memory})
SET m.lock = 'undo'
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
CALL () {
  MATCH (s:Sleep)
  WHERE s.memory = $memory
  RETURN max(s.turn) AS slept
}
RETURN m.turn AS clock, m.open_turn IS NOT NULL AS open,
       CASE WHEN coalesce(m.slept_turn, 0) > coalesce(slept, 0) THEN m.slept_turn ELSE coalesce(slept, 0) END AS slept,
       CASE WHEN m.lease_until > datetime() THEN m.lease_owner END AS leased_by, toString(m.lease_until) AS leased_until
