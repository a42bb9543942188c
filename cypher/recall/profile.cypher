// What is known of some concepts ($concepts: ids) and of those that are the same by name ("sister of Ana" is called
// "Leire"): their strongest current associations, and the newest records that mention one of them, or that one of
// $speakers said. One row. $facts, $records: how many. $sure: least confidence of a fact.
CALL () {
  UNWIND $concepts AS id
  MATCH (c:Concept {memory: $memory, id: id})
  CALL (c) {
    MATCH (c)-[a:ASSOCIATED]-(o:Concept)
    WHERE a.superseded_turn IS NULL AND NOT a.negated AND 'self' <> c.kind AND 'name' IN [c.kind, o.kind]
      AND 'concept' IN [c.kind, o.kind] AND (a.class = 'is called' OR (a.class = 'is a' AND o.kind = 'name'))
    RETURN collect(o.id) AS named
  }
  UNWIND [c.id] + named AS one
  RETURN collect(DISTINCT one) AS concepts
}
CALL (concepts) {
  UNWIND concepts AS id
  MATCH (c:Concept {memory: $memory, id: id})-[a:ASSOCIATED]-()
  WHERE a.superseded_turn IS NULL AND a.implied IS NULL AND coalesce(a.confidence, 1.0) >= $sure
  WITH DISTINCT a ORDER BY a.weight DESC, a.last_turn DESC, a.id LIMIT $facts
  WITH a, startNode(a) AS s, endNode(a) AS t
  RETURN collect({id: a.id, source: s.label, source_id: s.id, relation: a.relation, target: t.label, target_id: t.id,
                  weight: a.weight, negated: a.negated, current: true, contested: a.contested, when: a.when,
                  stated_at: a.stated_at, first_turn: a.first_turn, last_turn: a.last_turn, records: a.records,
                  confidence: coalesce(a.confidence, 1.0)}) AS facts
}
CALL (concepts) {
  UNWIND concepts AS id
  CALL (id) {
    MATCH (:Concept {memory: $memory, id: id})<-[:MENTIONS]-(r)
    WHERE r.resting IS NULL AND r.turn IS NOT NULL
    RETURN r ORDER BY r.turn DESC, r.id LIMIT $records
  }
  RETURN collect(DISTINCT r) AS mentioning
}
CALL () {
  UNWIND $speakers AS speaker
  CALL (speaker) {
    MATCH (r:Record)
    WHERE r.memory = $memory AND r.turn >= 0 AND r.speaker = speaker AND r.role = 'user' AND r.resting IS NULL
    RETURN r ORDER BY r.turn DESC, r.id LIMIT $records
  }
  RETURN collect(r) AS said
}
CALL (mentioning, said) {
  UNWIND mentioning + said AS r
  WITH DISTINCT r
  RETURN collect([r.id, r.turn_id, r.turn, r.role, r.speaker, r.session, r.at, r.text, r.gist_turn IS NOT NULL, []])
         AS records
}
RETURN facts, records
