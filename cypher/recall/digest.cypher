// What groups of records are about, and the words of some. One row.
//   themes  [group, labels of the concepts that tell it from the rest of the memory, the best first]
//   shown   the records that may be quoted, as working_set/candidates returns records
// $groups: [{key, records: ids of all records of a group}]; $shown: ids; $themes: labels of a group at most.
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
CALL () {
  UNWIND $shown AS id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  WHERE r.resting IS NULL
  RETURN collect([r.id, r.turn_id, r.turn, r.role, r.speaker, r.session, r.at, r.text, r.gist_turn IS NOT NULL,
                  null, COLLECT { MATCH (r)-[:MENTIONS]->(c) RETURN c.id }, null]) AS shown
}
RETURN themes, shown
