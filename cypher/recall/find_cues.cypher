// Where a question enters the graph. One row.
//   found   candidates for each cue, as in perceive/resonate ($rows: [{i, key, kinds, vector | null, words | null}])
//   near    the concepts nearest to the whole question, {id: cosine}: affinity for the fan-out of the evocation
//   lit     what is still active: recognition
//   few     the memory's concepts where they are fewer than a search wants: they are compared one by one, since the
//           server's vector search can fail where the filter matches less than its LIMIT
CALL () {
  MATCH (c:Concept)
  WHERE c.memory = $memory
  WITH c LIMIT 60
  RETURN collect(c) AS few
}
CALL (few) {
  UNWIND $rows AS row
  CALL (row) {
    MATCH (c:Concept {memory: $memory})
    WHERE c.kind IN row.kinds AND c.label_key = row.key
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
      SEARCH c IN (VECTOR INDEX concept_embedding FOR $vector WHERE c.memory = $memory LIMIT 60)
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
OPTIONAL MATCH (m:Memory {name: $memory})
RETURN found, near, lit, m.turn AS clock
