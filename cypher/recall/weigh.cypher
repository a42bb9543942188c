// The chosen facts, and the candidate records with what the first ranking stage needs. One row of parallel arrays.
// $facts: association ids. $found: ids of records that the search found, the best first; $cosines: {id: cosine} of those
// it compared. $concepts: ids of concepts whose newest mentions are candidates. $since, $until: a period that the question
// names (or null); its records nearest to the question are candidates. $central: number of found records whose neighbours
// are candidates, as are those of every record that states a fact; $around: turns before and after them.
// An entry of a contract belongs to no turn: it gets a place far from all turns. `entry` is null for other records, else
// [type, key, whether superseded, whether disputed].
// Seeks are hinted: a plan made while statistics lag behind would scan an index, and stay cached.
CALL () {
  UNWIND $facts AS id
  MATCH (s:Concept)-[a:ASSOCIATED {id: id}]->(t:Concept)
  USING INDEX SEEK a:ASSOCIATED(id)
  WHERE a.memory = $memory
  RETURN collect({id: a.id, source: s.label, source_id: s.id, relation: a.relation, target: t.label, target_id: t.id,
                  weight: a.weight, negated: a.negated, current: a.superseded_turn IS NULL, contested: a.contested,
                  when: a.when, stated_at: a.stated_at, first_turn: a.first_turn, last_turn: a.last_turn,
                  records: a.records, confidence: coalesce(a.confidence, 1.0)}) AS facts
}
CALL () {
  UNWIND $concepts AS id
  CALL (id) {
    MATCH (:Concept {memory: $memory, id: id})<-[:MENTIONS]-(r)
    WHERE r.resting IS NULL AND r.turn IS NOT NULL
    RETURN r.id AS record ORDER BY r.turn DESC, r.id LIMIT 4
    UNION ALL
    MATCH (m:Memory {name: $memory})
    WHERE m.entries > 0
    MATCH (:Concept {memory: $memory, id: id})<-[:MENTIONS]-(e:Entry)
    RETURN e.id AS record ORDER BY e.seq DESC LIMIT 4
  }
  RETURN collect(DISTINCT record) AS mentioning
}
CALL () {
  MATCH (r:Record)
  USING INDEX SEEK r:Record(memory, at)
  WHERE r.memory = $memory AND $since <= r.at AND r.at < $until AND r.resting IS NULL
  WITH r, coalesce($cosines[r.id], 2 * vector.similarity.cosine(r.embedding, $vector) - 1, 0.0) AS cosine
  ORDER BY cosine DESC, r.id LIMIT 40
  RETURN collect(r.id) AS dated
}
CALL (facts) {
  UNWIND $found[..$central] + reduce(all = [], f IN facts | all + coalesce(f.records, [])) AS id
  WITH DISTINCT id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  WHERE r.resting IS NULL
  RETURN collect(r) AS centre, collect(r.turn) AS turns
}
CALL (mentioning, dated) {
  UNWIND $found[$central..] + mentioning + dated AS id
  WITH DISTINCT id
  MATCH (r:Record {memory: $memory, id: id})
  USING INDEX SEEK r:Record(memory, id)
  WHERE r.resting IS NULL
  RETURN collect(r) AS others
}
CALL (turns) {
  UNWIND turns AS turn
  UNWIND range(turn - $around, turn + $around) AS near
  WITH DISTINCT near
  MATCH (r:Record {memory: $memory, turn: near})
  USING INDEX SEEK r:Record(memory, turn)
  WHERE r.resting IS NULL
  RETURN collect(r) AS neighbours
}
CALL (centre, others, neighbours) {
  UNWIND centre + others + neighbours AS r
  WITH DISTINCT r
  CALL (r) {
    WITH r WHERE r:Entry
    RETURN [r.entry_type, r.field_key, EXISTS { (:Entry)-[:SUPERSEDES]->(r) }, EXISTS {
      MATCH (r)-[:CONTRADICTS]-(o:Entry)
      WHERE o.erased_at IS NULL
        AND NOT EXISTS { MATCH (r)<-[:SUPERSEDES]-(:Entry)-[:SUPERSEDES]->(o) }
        AND NOT EXISTS { MATCH (z:Entry)-[:SUPERSEDES]->(o) WHERE z.ia_author = o.ia_author }
    }] AS entry
    UNION ALL
    WITH r WHERE NOT r:Entry
    RETURN null AS entry
  }
  RETURN collect([r.id, r.turn_id, coalesce(r.turn, -2 * r.seq), r.role, r.speaker, r.session, r.at, r.text, r.gist_turn IS NOT NULL,
                  $cosines[r.id], COLLECT { MATCH (r)-[:MENTIONS]->(c) RETURN c.id }, entry]) AS records
}
RETURN facts, records
