// What changes touched, as it is now, in the shape of the statements that load a memory; and all that is lit. One row.
// $concepts, $associations, $records: ids. What is gone is left out. $vectors: as there.
CALL () {
  UNWIND $concepts AS id
  MATCH (c:Concept {memory: $memory, id: id})
  USING INDEX SEEK c:Concept(memory, id)
  RETURN {ids: collect(c.id), labels: collect(coalesce(c.label, '')), keys: collect(coalesce(c.label_key, '')),
          kinds: collect(coalesce(c.kind, '')),
          aliases: collect(coalesce(c.aliases, [])), mentions: collect(coalesce(c.mentions, 0)),
          activation: collect(coalesce(c.activation, 0.0)), strength: collect(coalesce(c.strength, 0.0)),
          vectors: collect(CASE WHEN $vectors OR c:Unindexed
                                THEN coalesce(c.vector_bytes, vector(c.embedding, size(c.embedding), FLOAT32), -1)
                                WHEN c.embedding IS NULL THEN -1 ELSE 0 END)}
         AS concepts
}
CALL () {
  UNWIND $associations AS id
  MATCH (s:Concept)-[a:ASSOCIATED {id: id}]->(t:Concept)
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory
  RETURN {ids: collect(a.id), sources: collect(s.id), targets: collect(t.id), weights: collect(coalesce(a.weight, 0.0)),
          relations: collect(coalesce(a.relation, '')), classes: collect(coalesce(a.class, '')),
          implied: collect(coalesce(a.implied, false)), confidences: collect(coalesce(a.confidence, 1.0)),
          first_turns: collect(coalesce(a.first_turn, -1)), last_turns: collect(coalesce(a.last_turn, -1)),
          superseded: collect(a.superseded_turn IS NOT NULL), negated: collect(coalesce(a.negated, false)),
          contested: collect(coalesce(a.contested, false)), times: collect(coalesce(a.when, '')),
          stated: collect(coalesce(a.stated_at, '')), records: collect(coalesce(a.records, []))} AS associations
}
CALL () {
  UNWIND $records AS id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  RETURN {ids: collect(r.id), said: collect([r.turn_id, coalesce(r.turn, -2 * r.seq), r.role, r.speaker, r.session, r.at, r.text, r.kind]),
          entries: collect(CASE WHEN r:Episode THEN [] WHEN r:Entry THEN
            [r.entry_type, r.field_key, EXISTS { (:Entry)-[:SUPERSEDES]->(r) }, EXISTS {
              MATCH (r)-[:CONTRADICTS]-(o:Entry)
              WHERE o.erased_at IS NULL
                AND NOT EXISTS { MATCH (r)<-[:SUPERSEDES]-(:Entry)-[:SUPERSEDES]->(o) }
                AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(o) WHERE z.ia_author = o.ia_author }
            }] WHEN r:Note THEN [r.path, r.start, r.end] ELSE [] END),
          gists: collect(r.gist_turn IS NOT NULL), resting: collect(r.resting IS NOT NULL),
          associations: collect(coalesce(r.associations, [])),
          concepts: collect([(r)-[:MENTIONS]->(c) | c.id]),
          vectors: collect(CASE WHEN $vectors OR r:Unindexed
                                THEN coalesce(r.vector_bytes, vector(r.embedding, size(r.embedding), FLOAT32), -1)
                                WHEN r.embedding IS NULL THEN -1 ELSE 0 END)} AS records
}
CALL () {
  MATCH (c:Concept)
  USING INDEX SEEK c:Concept(memory, activation)
  WHERE c.memory = $memory AND c.activation > 0
  RETURN collect(c.id) AS lit, collect(c.activation) AS activation
}
RETURN concepts, associations, records, lit, activation
