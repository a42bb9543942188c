// The mentions and coincidences of absorbed concepts: kept as shadows, and carried on by the survivors.
// $mentions: [{record, survivor, absorbed, mentioned, shadow, live | null, associations}]
// $pairs: [{survivor, absorbed, other, out, shadow, live | null}]: `live` is what survivor and other have in common now
CALL () {
  UNWIND $mentions AS row
  MATCH (r:Record {memory: $memory, id: row.record}), (b:Concept {memory: $memory, id: row.absorbed})
  MATCH (a:Concept {memory: $memory, id: row.survivor})
  SET r.associations = row.associations
  CREATE (r)-[w:WAS_MENTIONED]->(b)
  SET w = row.shadow
  WITH r, a, b, row WHERE row.mentioned
  MATCH (r)-[s:MENTIONS]->(b)
  DELETE s
  WITH r, a, row WHERE row.live IS NOT NULL
  CREATE (r)-[n:MENTIONS]->(a)
  SET n = row.live
  RETURN count(*) AS mentions
}
CALL () {
  UNWIND $pairs AS row
  MATCH (b:Concept {memory: $memory, id: row.absorbed})-[p:COINCIDED]-(x:Concept {memory: $memory, id: row.other})
  DELETE p
  FOREACH (_ IN CASE WHEN row.out THEN [1] ELSE [] END | CREATE (b)-[w:WAS_COINCIDED]->(x) SET w = row.shadow)
  FOREACH (_ IN CASE WHEN row.out THEN [] ELSE [1] END | CREATE (x)-[w:WAS_COINCIDED]->(b) SET w = row.shadow)
  WITH x, row WHERE row.live IS NOT NULL
  MATCH (a:Concept {memory: $memory, id: row.survivor})
  WITH CASE WHEN a.id < x.id THEN a ELSE x END AS first, CASE WHEN a.id < x.id THEN x ELSE a END AS second, row
  MERGE (first)-[h:COINCIDED]->(second)
  SET h = row.live
  RETURN count(*) AS pairs
}
RETURN mentions, pairs
