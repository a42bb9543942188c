// All that an undo of one merge needs to know; no row if there is no such merge in force. $merge: its id.
//   later     merges made after it that changed the same things
//   taken     another concept has the absorbed one's label by now
//   edges     the survivor's associations; shadows: what the absorbed one's were, `there` if the other end lives
//   mentions  the survivor's mentions said since, and those it took over; stating: the records of the edges
MATCH (b:Merged)-[m:MERGED_INTO {id: $merge}]->(a)
USING INDEX SEEK m:MERGED_INTO(memory, id)
WHERE m.memory = $memory
CALL (a, b, m) {
  MATCH (c:Merged)-[l:MERGED_INTO]->(d)
  WHERE c.memory = $memory AND l.place > m.place
    AND (d = a OR c = a OR d = b OR any(id IN l.touched WHERE id IN m.touched))
  WITH l ORDER BY l.place DESC
  RETURN collect(l.id) AS later
}
CALL (b) {
  RETURN EXISTS { MATCH (o:Concept {memory: $memory, kind: b.kind, label_key: b.label_key}) } AS taken
}
CALL (a) {
  MATCH (a)-[e:ASSOCIATED]-(x)
  WITH e, x ORDER BY e.id
  RETURN collect({source: startNode(e).id, target: endNode(e).id, other: x.id, properties: properties(e)}) AS edges
}
CALL (edges) {
  UNWIND edges AS edge
  UNWIND edge.properties.records AS id
  WITH DISTINCT id
  MATCH (r:Record {memory: $memory, id: id})
  RETURN collect({id: r.id, turn: r.turn, reply: r.role = 'assistant'}) AS stating
}
CALL (b, m) {
  // The other end of somebody else's shadow may be the absorbed one, too.
  MATCH (b)-[w:WAS_ASSOCIATED]-(x)
  WHERE w.merge = m.id
  WITH w, x ORDER BY w.id
  RETURN collect({source: startNode(w).id, target: endNode(w).id, other: x.id, there: x:Concept,
                  properties: properties(w)}) AS shadows
}
CALL (a, m) {
  MATCH (a)<-[s:MENTIONS]-(r)
  WHERE r.turn > m.turn OR s.of_merge = m.id
  WITH r, s ORDER BY r.turn, r.id
  RETURN collect({record: r.id, turn: coalesce(r.turn, 0), properties: properties(s), associations: r.associations,
                  others: COLLECT { MATCH (r)-[:MENTIONS]->(x) WHERE x.kind <> 'self' RETURN x.id ORDER BY x.id }
                 }) AS mentions
}
CALL (b, m) {
  MATCH (b)<-[w:WAS_MENTIONED]-(r)
  WHERE w.merge = m.id
  WITH r, w ORDER BY r.turn, r.id
  RETURN collect({record: r.id, properties: properties(w), associations: r.associations}) AS were
}
CALL (a) {
  MATCH (a)-[p:COINCIDED]-(x)
  WITH p, x ORDER BY x.id
  RETURN collect({other: x.id, properties: properties(p)}) AS pairs
}
CALL (b, m) {
  MATCH (b)-[w:WAS_COINCIDED]-(x)
  WHERE w.merge = m.id
  WITH w, x, b ORDER BY x.id
  RETURN collect({other: x.id, out: startNode(w) = b, there: x:Concept, properties: properties(w)}) AS coincided
}
RETURN m {.*, at: null} AS link, a {.*, embedding: null, vector_bytes: null, created_at: null} AS survivor,
       b {.*, embedding: null, vector_bytes: null, created_at: null} AS absorbed,
       later, taken, edges, stating, shadows, mentions, were, pairs, coincided
