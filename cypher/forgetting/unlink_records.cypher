// Drop every reference to records that go. A fact that only they supported stays, marked as consolidated; what they
// counted is counted back; a turn that was open without them is closed. $gone: ids.
CALL () {
  MATCH (c:Concept)-[a:ASSOCIATED]->()
  WHERE c.memory = $memory AND any(id IN a.records WHERE id IN $gone)
  SET a.records = [id IN a.records WHERE NOT id IN $gone]
  SET a.consolidated = CASE WHEN size(a.records) = 0 THEN true ELSE a.consolidated END
  RETURN count(a) AS facts
}
CALL () {
  MATCH (c:Merged)-[w:WAS_ASSOCIATED]-()
  WHERE c.memory = $memory AND any(id IN w.records + coalesce(w.host_records, []) WHERE id IN $gone)
  WITH DISTINCT w
  SET w.records = [id IN w.records WHERE NOT id IN $gone],
      w.host_records = [id IN w.host_records WHERE NOT id IN $gone]
  SET w.consolidated = CASE WHEN size(w.records) = 0 THEN true ELSE w.consolidated END
  RETURN count(w) AS shadows
}
CALL () {
  UNWIND $gone AS id
  MATCH (r:Record {memory: $memory, id: id})-[:MENTIONS]->(c:Concept)
  WITH c, count(r) AS times
  SET c.mentions = CASE WHEN c.mentions > times THEN c.mentions - times ELSE 0 END
  RETURN count(c) AS concepts
}
CALL () {
  UNWIND $gone AS id
  MATCH (r:Record {memory: $memory, id: id})-[:MENTIONS]->(a:Concept)-[x:COINCIDED]->(b:Concept)<-[:MENTIONS]-(r)
  WHERE NOT EXISTS { MATCH (a)-[s:ASSOCIATED]-(b) WHERE s.id IN r.associations }
  WITH x, count(r) AS times
  SET x.count = x.count - times
  WITH x WHERE x.count <= 0
  DELETE x
  RETURN count(*) AS coincidences
}
MATCH (m:Memory {name: $memory})
SET m.last_reply = CASE WHEN m.last_reply IN $gone THEN null ELSE m.last_reply END
RETURN facts, shadows, concepts, coincidences
