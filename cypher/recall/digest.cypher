// What groups of records are about. One row.
//   themes  [group, labels of the concepts that tell it from the rest of the memory, the best first]
// $groups: [{key, records: ids of all records of a group}]; $themes: labels of a group at most.
OPTIONAL MATCH (m:Memory {name: $memory})
WITH coalesce(m.turn, 1) AS clock
CALL (clock) {
  UNWIND $groups AS g
  CALL (g, clock) {
    UNWIND g.records AS id
    MATCH (r:Record {memory: $memory, id: id})
    USING INDEX SEEK r:Record(memory, id)
    MATCH (r)-[:MENTIONS]->(c:Concept)
    WHERE c.kind IN ['concept', 'name']
    WITH c, count(DISTINCT r) AS said, clock
    ORDER BY said * log(1.0 + toFloat(clock) / coalesce(c.mentions, 1)) DESC, c.label LIMIT $themes
    RETURN collect(c.label) AS labels
  }
  RETURN collect([g.key, labels]) AS themes
}
RETURN themes
