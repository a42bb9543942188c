// Where a question enters the graph, and the records that resemble it. One row.
//   found   candidates for each span, as in entities/resonate ($rows: [{i, key, kinds, vector | null, words | null}];
//           $most: how many)
//   near    the concepts nearest to the whole question: [id, cosine]
//   lit     the most active concepts, for recognition
//   alike   records by meaning, [id, cosine], the nearest first; $limit: how many
//   stating the associations that each of them states
//   saying  record ids by words ($said: Lucene query, '' finds nothing), the best first
//   few, some   the memory's concepts and records if they are fewer than a search's limit: they are compared one by one,
//               since the server's vector search can fail if the filter matches less than its LIMIT
// $filtered: whether only a part of the memory is asked. Then every record of that part is compared, so none is missed.
// $session, $speaker, $since, $until (ISO, until exclusive; ten characters are a local day), $kind (of record): null for
// any.
CALL () {
  MATCH (c:Concept)
  WHERE c.memory = $memory
  WITH c LIMIT 60
  RETURN collect(c) AS few
}
CALL (few) {
  UNWIND $rows AS row
  CALL (row) {
    MATCH (c:Concept)
    USING INDEX SEEK c:Concept(memory, kind, label_key)
    WHERE c.memory = $memory AND c.kind IN row.kinds AND c.label_key = row.key
    RETURN collect({id: c.id, label: c.label, kind: c.kind, mentions: c.mentions}) AS exact
  }
  CALL (row, exact, few) {
    CALL (row, exact, few) {
      WITH row, exact, few WHERE size(exact) = 0 AND row.vector IS NOT NULL AND size(few) < 60
      UNWIND few AS c
      RETURN c, vector.similarity.cosine(c.embedding, row.vector) AS score
      UNION ALL
      WITH row, exact, few WHERE size(exact) = 0 AND row.vector IS NOT NULL AND size(few) = 60
      MATCH (c:Concept)
        SEARCH c IN (VECTOR INDEX concept_embedding FOR row.vector WHERE c.memory = $memory LIMIT 20)
        SCORE AS score
      RETURN c, score
    }
    WITH c, score WHERE c.kind IN row.kinds AND c.id IS NOT NULL
    ORDER BY score DESC, c.id LIMIT $most
    RETURN collect({id: c.id, label: c.label, kind: c.kind, score: 2 * score - 1, mentions: c.mentions}) AS similar
  }
  CALL (row, exact) {
    WITH row, exact WHERE size(exact) = 0 AND row.words IS NOT NULL
    CALL db.index.fulltext.queryNodes('concept_text', row.words, {limit: 50}) YIELD node AS c, score
    WHERE c.memory = $memory AND c.kind IN row.kinds
    WITH c, score ORDER BY score DESC, c.id LIMIT $most
    RETURN collect({id: c.id, label: c.label, kind: c.kind, aliases: c.aliases, mentions: c.mentions}) AS lexical
  }
  RETURN collect({i: row.i, exact: exact, similar: similar, lexical: lexical}) AS found
}
CALL (few) {
  CALL (few) {
    WITH few WHERE size(few) < 60
    UNWIND few AS c
    RETURN c, vector.similarity.cosine(c.embedding, $vector) AS score
    UNION ALL
    WITH few WHERE size(few) = 60
    MATCH (c:Concept)
      SEARCH c IN (VECTOR INDEX concept_embedding FOR $vector WHERE c.memory = $memory LIMIT 32)
      SCORE AS score
    RETURN c, score
  }
  RETURN collect([c.id, 2 * score - 1]) AS near
}
CALL () {
  MATCH (c:Concept)
  WHERE c.memory = $memory AND c.activation > 0 AND c.kind IN ['concept', 'name']
  WITH c ORDER BY c.activation DESC, c.id LIMIT 12
  RETURN collect({id: c.id, label: c.label, kind: c.kind, activation: c.activation, mentions: c.mentions,
                  affinity: 2 * vector.similarity.cosine(c.embedding, $vector) - 1}) AS lit
}
CALL () {
  MATCH (r:Record)
  WHERE NOT $filtered AND r.memory = $memory AND r.embedding IS NOT NULL
  WITH r LIMIT $limit
  RETURN collect(r) AS some
}
CALL (some) {
  CALL (some) {
    WITH some WHERE NOT $filtered AND size(some) < $limit
    UNWIND some AS r
    RETURN r, vector.similarity.cosine(r.embedding, $vector) AS score
    UNION ALL
    WITH some WHERE NOT $filtered AND size(some) >= $limit
    MATCH (r:Record)
      SEARCH r IN (VECTOR INDEX record_embedding FOR $vector WHERE r.memory = $memory LIMIT $limit)
      SCORE AS score
    RETURN r, score
    UNION ALL
    WITH 1 AS one WHERE $filtered
    MATCH (r:Record {memory: $memory})
    WHERE r.resting IS NULL
      AND ($session IS NULL OR r.session = $session)
      AND ($speaker IS NULL OR r.speaker = $speaker)
      AND ($kind IS NULL OR r.kind = $kind)
      AND ($since IS NULL
           OR CASE WHEN size($since) = 10 THEN r.at >= $since ELSE datetime(r.at) >= datetime($since) END)
      AND ($until IS NULL
           OR CASE WHEN size($until) = 10 THEN r.at < $until ELSE datetime(r.at) < datetime($until) END)
    WITH r, coalesce(vector.similarity.cosine(r.embedding, $vector), 0.5) AS score
    ORDER BY score DESC, r.id LIMIT $limit
    RETURN r, score
  }
  WITH r, score ORDER BY score DESC, r.id
  RETURN collect([r.id, 2 * score - 1]) AS alike, collect(coalesce(r.associations, [])) AS stating
}
CALL () {
  WITH $said AS query WHERE query <> '' AND NOT $filtered
  CALL db.index.fulltext.queryNodes('record_text', query, {limit: $limit}) YIELD node AS r, score
  WHERE r.memory = $memory
  WITH r, score ORDER BY score DESC, r.id
  RETURN collect(r.id) AS saying
}
OPTIONAL MATCH (m:Memory {name: $memory})
RETURN found, near, lit, alike, stating, saying, m.turn AS clock
