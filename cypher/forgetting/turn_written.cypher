// Everything that a turn wrote, with what tells how it was before. $turn: its number. One row.
//   records       of the turn itself, each with the last merge (or null) that was made since of what it mentions
//   concepts      that it mentions, and what else holds them
//   associations  that it states, and "maybe same" links that it made, each with the turns of its other provenance
//   superseded    by these, or contested by this turn      pairs  coincidences that it counted
//   replies       the assistant's records before it, whose words it may have taken up
CALL () {
  MATCH (r:Record {memory: $memory, turn: $turn})
  WITH r ORDER BY r.role DESC, r.created_at, r.id
  RETURN collect({id: r.id, role: r.role, turn_id: r.turn_id, text: r.text, associations: r.associations,
                  forgot: coalesce(r.forgot, false),
                  merge: head(COLLECT {
                    MATCH (r)-[:MENTIONS]->(:Concept)<-[l:MERGED_INTO]-(:Merged)
                    WHERE l.turn >= $turn RETURN l.id ORDER BY l.place DESC
                  })}) AS records
}
WITH records, [r IN records WHERE r.role = 'user' | r.id] AS own,
     reduce(all = [], r IN records | all + CASE WHEN r.role = 'user' THEN r.associations ELSE [] END) AS stated
CALL (own) {
  UNWIND own AS id
  MATCH (r:Record {memory: $memory, id: id})-[m:MENTIONS]->(c:Concept)
  WITH c, m ORDER BY c.id
  RETURN collect({
    id: c.id, kind: c.kind, key: c.label_key, label: c.label, first_turn: c.first_turn, strength_before: m.strength_before,
    fixed_before: m.fixed_before, kind_before: m.kind_before, method: m.method,
    others: COLLECT { MATCH (c)<-[:MENTIONS]-(o:Record) WHERE NOT o.id IN own RETURN DISTINCT coalesce(o.turn, -o.seq) AS turn
                     ORDER BY turn },
    associations: COLLECT { MATCH (c)-[a:ASSOCIATED]-() RETURN DISTINCT a.id }
  }) AS concepts
}
CALL (own, stated) {
  CALL (own, stated) {
    UNWIND stated AS id
    MATCH (s:Concept)-[a:ASSOCIATED {id: id}]->(t:Concept)
    USING INDEX SEEK a:ASSOCIATED(memory, id)
    WHERE a.memory = $memory
    RETURN a, s, t
    UNION
    UNWIND own AS id
    MATCH (r:Record {memory: $memory, id: id})-[:MENTIONS]->(s:Concept)-[a:ASSOCIATED]->(t:Concept)
    WHERE a.first_turn = $turn AND id IN a.records
    RETURN a, s, t
  }
  WITH own, a, s, t ORDER BY a.id
  // What the list of an association has dropped, the records themselves still know.
  RETURN collect({id: a.id, source: s.id, target: t.id, properties: properties(a), others: COLLECT {
    MATCH (o:Record)-[:MENTIONS]->(s)
    WHERE a.id IN o.associations AND NOT o.id IN own AND o.role = 'user'
    RETURN [o.id, o.turn] ORDER BY o.turn, o.id
  }}) AS associations, collect(DISTINCT s) AS sources
}
CALL (associations, sources) {
  UNWIND sources AS s
  MATCH (s)-[b:ASSOCIATED]->()
  WHERE b.superseded_by IN [a IN associations | a.id] OR b.contested_turn = $turn
  RETURN collect(DISTINCT {id: b.id, turn: b.superseded_turn, by: b.superseded_by,
                           contested: coalesce(b.contested_turn = $turn, false)}) AS superseded
}
CALL (own, stated) {
  UNWIND own AS id
  MATCH (r:Record {memory: $memory, id: id})-[:MENTIONS]->(x:Concept)-[p:COINCIDED]->(y:Concept)<-[:MENTIONS]-(r)
  WHERE NOT EXISTS { MATCH (x)-[b:ASSOCIATED]-(y) WHERE b.id IN stated }
  RETURN collect({source: x.id, target: y.id, count: p.count, last_turn: p.last_turn, others: COLLECT {
    MATCH (x)<-[:MENTIONS]-(o:Record)-[:MENTIONS]->(y)
    WHERE NOT o.id IN own AND o.turn IS NOT NULL AND NOT EXISTS { MATCH (x)-[b:ASSOCIATED]-(y) WHERE b.id IN o.associations }
    RETURN DISTINCT o.turn ORDER BY o.turn
  }}) AS pairs
}
OPTIONAL MATCH (reply:Record {memory: $memory, turn: $turn - 1, role: 'assistant'})
WITH records, concepts, associations, superseded, pairs, reply ORDER BY reply.created_at, reply.id
RETURN records, concepts, associations, superseded, pairs,
       collect({id: reply.id, associations: reply.associations}) AS replies
