// Episodes that are old, long and assimilated, and have no gist yet: their ids, oldest first.
// Assimilated: every fact it states that is still in the graph was stated more than once, or was replaced, or one of
// its ends (but for selves, which everything hangs on) took hold. What sleep pruned is waited for no longer.
// A reply waits until its turn's extraction is done. Episodes that were to be remembered keep their words.
// $before: the last turn that is old enough; $length: characters a gist may have; $took_hold: strength.
MATCH (r:Record)
WHERE r.memory = $memory AND r.turn <= $before AND r.kind = 'episode' AND r.verbatim IS NULL
  AND NOT coalesce(r.fixed, false) AND (r.role = 'assistant' OR r.extraction = 'done') AND size(r.text) > $length
CALL (r) {
  UNWIND r.associations AS id
  MATCH (s:Concept)-[a:ASSOCIATED {id: id}]->(t:Concept)
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory AND a.implied IS NULL AND a.superseded_turn IS NULL AND a.count < 2
    AND none(c IN [s, t] WHERE c.kind <> 'self' AND (c.fixed OR c.strength >= $took_hold))
  RETURN count(a) AS waiting
}
WITH r WHERE waiting = 0
  AND NOT EXISTS { MATCH (u:Record) WHERE u.memory = $memory AND u.turn = r.turn AND u.extraction = 'failed' }
RETURN r.id AS id ORDER BY r.turn, r.role DESC, r.id
