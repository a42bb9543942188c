// Take records off the recall path: no text, no vector; their words stay in `verbatim`. $ids: records.
// Only where still nothing they mention took hold ($before, $took_hold, $seldom: as in rests_due).
UNWIND $ids AS id
MATCH (r:Record {memory: $memory, id: id})
USING INDEX SEEK r:Record(memory, id)
WHERE r.resting IS NULL AND NOT coalesce(r.fixed, false) AND coalesce(r.extraction, 'done') = 'done'
  AND (r.faded OR NOT EXISTS {
    MATCH (r)-[:MENTIONS]->(c:Concept)
    WHERE c.memory = $memory AND c.kind <> 'self' AND (c.fixed OR c.strength >= $took_hold OR c.mentions > $seldom
      OR c.activation > 0 OR c.last_turn > $before)
  })
SET r.verbatim = coalesce(r.verbatim, r.text), r.text = '', r.resting = true, r.embedding = null, r.vector_bytes = null,
    r.words = null
RETURN r.id AS id
