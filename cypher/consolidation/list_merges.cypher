// The merges of a memory, the newest first: those in force, and those that were undone (kept as "apart").
CALL () {
  MATCH (b:Merged)-[m:MERGED_INTO]->(a)
  WHERE b.memory = $memory
  RETURN m.id AS id, a.id AS survivor_id, a.label AS survivor, b.id AS absorbed_id, b.label AS absorbed, b.kind AS kind,
         m.turn AS turn, m.by AS by, m.method AS method, m.score AS score, toString(m.at) AS at, 'in force' AS state,
         m.place AS place
  UNION ALL
  MATCH (a:Concept)-[k:COMPARED]->(b:Concept)
  WHERE a.memory = $memory AND k.merge IS NOT NULL AND k.inherited IS NULL
  RETURN k.merge AS id, a.id AS survivor_id, a.label AS survivor, b.id AS absorbed_id, b.label AS absorbed, b.kind AS kind,
         k.turn AS turn, k.merged_by AS by, k.method AS method, k.score AS score, k.at AS at, 'undone' AS state,
         k.place AS place
}
RETURN id, survivor_id, survivor, absorbed_id, absorbed, kind, turn, by, method, score, at, state
ORDER BY place DESC, id
