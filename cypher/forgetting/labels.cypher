// Everything of a memory that has a name: concepts, those absorbed by merges, and who speaks. One row.
// concepts: [[id, kind, label, label_key, aliases]]; merged: [[id, id of what it became part of, label, aliases]]
CALL () {
  MATCH (c:Concept)
  WHERE c.memory = $memory
  WITH c ORDER BY c.id
  RETURN collect([c.id, c.kind, c.label, c.label_key, c.aliases]) AS concepts
}
CALL () {
  MATCH (b:Merged)-[:MERGED_INTO]->(a)
  WHERE b.memory = $memory
  WITH a, b ORDER BY b.id
  RETURN collect([b.id, a.id, b.label, b.aliases]) AS merged
}
CALL () {
  MATCH (r:Record)
  WHERE r.memory = $memory AND r.role <> 'note'
  RETURN collect(DISTINCT r.speaker) AS speakers
}
RETURN concepts, merged, speakers
