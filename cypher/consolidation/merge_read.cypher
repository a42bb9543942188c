// All that hangs on the concepts that will be absorbed. $pairs: [{survivor, absorbed}] of concept ids; one row a pair.
//   edges     associations, each with those of the survivor that say the same (`hosts`), and what it superseded
//   mentions  records, whether each mentions the survivor, too, and what it states
//   replies   records that state an association and mention nothing (an assistant's words that were taken up)
//   pairs     coincidences, with the survivor's own count beside
UNWIND $pairs AS pair
MATCH (a:Concept {memory: $memory, id: pair.survivor}), (b:Concept {memory: $memory, id: pair.absorbed})
USING INDEX SEEK a:Concept(memory, id)
USING INDEX SEEK b:Concept(memory, id)
CALL (a, b) {
  MATCH (b)-[e:ASSOCIATED]-(x)
  WITH a, b, e, x ORDER BY e.id
  RETURN collect({
    source: startNode(e).id, target: endNode(e).id, other: x.id, properties: properties(e),
    superseded: COLLECT {
      MATCH (s)-[f:ASSOCIATED {superseded_by: e.id}]->()
      USING INDEX SEEK f:ASSOCIATED(memory, superseded_by)
      WHERE f.memory = $memory AND s = startNode(e)
      RETURN f.id ORDER BY f.id
    },
    hosts: COLLECT {
      MATCH (a)-[h:ASSOCIATED]-(x)
      WHERE (startNode(h) = a) = (startNode(e) = b) AND h.class = e.class AND h.negated = e.negated
        AND h.superseded_turn IS NULL AND e.superseded_turn IS NULL
      RETURN properties(h) ORDER BY h.id
    }
  }) AS edges
}
CALL (a, b) {
  MATCH (b)<-[s:MENTIONS]-(r)
  WITH a, r, s ORDER BY r.turn, r.id
  RETURN collect({record: r.id, properties: properties(s), both: EXISTS { (r)-[:MENTIONS]->(a) },
                  associations: r.associations}) AS mentions
}
CALL (b, edges, mentions) {
  UNWIND edges AS edge
  UNWIND edge.properties.records AS id
  WITH DISTINCT id, mentions WHERE NOT any(m IN mentions WHERE m.record = id)
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  WITH r ORDER BY r.turn, r.id
  RETURN collect({record: r.id, associations: r.associations}) AS replies
}
CALL (a, b) {
  MATCH (b)-[p:COINCIDED]-(x)
  WITH a, b, p, x ORDER BY x.id
  RETURN collect({
    other: x.id, out: startNode(p) = b, properties: properties(p),
    host: head(COLLECT { MATCH (a)-[h:COINCIDED]-(x) RETURN properties(h) ORDER BY startNode(h).id })
  }) AS pairs
}
RETURN pair.survivor AS survivor, pair.absorbed AS absorbed, edges, mentions, replies, pairs
