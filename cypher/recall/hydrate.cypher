// Seeks are hinted: planned while the statistics lag behind, they would become index scans and stay so in the cache.
// Everything the ranking and the brief need to know of the chosen facts, concepts and records.
// $facts: association ids; $records: record ids; $concepts: ids whose newest mentions are candidates, too.
CALL () {
  UNWIND $facts AS id
  MATCH (s:Concept)-[a:ASSOCIATED {id: id}]->(t:Concept)
  USING INDEX SEEK a:ASSOCIATED(id)
  WHERE a.memory = $memory
  RETURN collect({id: a.id, source: s.label, source_id: s.id, relation: a.relation, target: t.label, target_id: t.id,
                  weight: a.weight, negated: a.negated, current: a.superseded_turn IS NULL, contested: a.contested,
                  when: a.when, stated_at: a.stated_at, first_turn: a.first_turn, last_turn: a.last_turn,
                  records: a.records}) AS facts
}
CALL () {
  UNWIND $concepts AS id
  CALL (id) {
    MATCH (:Concept {memory: $memory, id: id})<-[:MENTIONS]-(r)
    WHERE r.resting IS NULL
    RETURN r.id AS record ORDER BY r.turn DESC, r.id LIMIT 6
  }
  RETURN collect(DISTINCT record) AS mentioning
}
CALL (facts, mentioning) {
  UNWIND $records + mentioning + reduce(all = [], f IN facts | all + f.records) AS id
  WITH DISTINCT id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  WHERE r.resting IS NULL
  CALL (r) {
    UNWIND r.associations AS association
    MATCH ()-[a:ASSOCIATED {id: association}]->()
    USING INDEX SEEK a:ASSOCIATED(id)
    WHERE a.memory = $memory
    RETURN count(a) AS stated, count(a.superseded_turn) AS superseded
  }
  RETURN collect({id: r.id, turn_id: r.turn_id, turn: r.turn, role: r.role, speaker: r.speaker, session: r.session,
                  at: r.at, text: r.text, gist: r.gist_turn IS NOT NULL, stated: stated, superseded: superseded,
                  concepts: COLLECT { MATCH (r)-[:MENTIONS]->(c) RETURN c.id },
                  cosine: coalesce(2 * vector.similarity.cosine(r.embedding, $vector) - 1, 0.0)}) AS records
}
RETURN facts, records
