// Turns of which nothing took hold and no fact is left in the graph: the ids of their records, oldest first.
// A turn rests as a whole, question and answers: not while any of its records was to be remembered, waits for its
// extraction, has a fact left, or mentions a concept (selves apart) that took hold, is lit, or is spoken of lately or
// more than seldom. Where the facts of a turn have faded, neither its age nor what else it mentions keeps it: should one
// of them be corrected later, nothing would tell that its words are out of date.
// $before: the last turn that is old enough; $took_hold: strength; $seldom: mentions.
CALL () {
  MATCH (r:Record)
  WHERE r.memory = $memory AND r.turn <= $before AND r.kind = 'episode' AND r.resting IS NULL
  RETURN r
  UNION
  MATCH (f:Record)
  WHERE f.memory = $memory AND f.faded AND f.resting IS NULL
  MATCH (r:Record)
  USING INDEX SEEK r:Record(memory, turn)
  WHERE r.memory = $memory AND r.turn = f.turn AND r.kind = 'episode' AND r.resting IS NULL
  RETURN r
}
CALL (r) {
  UNWIND r.associations AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  RETURN count(a) AS facts
}
WITH r.turn AS turn, r.id AS id, coalesce(r.fixed, false) OR r.extraction = 'failed' OR facts > 0
  OR r.faded IS NULL AND EXISTS {
    MATCH (r)-[:MENTIONS]->(c:Concept)
    WHERE c.memory = $memory AND c.kind <> 'self' AND (c.fixed OR c.strength >= $took_hold OR c.mentions > $seldom
      OR c.activation > 0 OR c.last_turn > $before)
  } AS awake
ORDER BY turn, id
WITH turn, collect(id) AS ids, count(CASE WHEN awake THEN 1 END) AS awake
WHERE awake = 0
UNWIND ids AS id
RETURN id ORDER BY turn, id
