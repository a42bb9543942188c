// Candidates for every label of a turn, before anything is written.
// $rows: [{i, key, kinds, vector | null, words | null}]; a block runs only where the one before found nothing.
//   exact    same label key (an index seek)
//   similar  nearest concepts by meaning; the score is the cosine
//   lexical  labels and aliases that share, begin with or nearly spell a word
//   few      the memory's concepts where they are fewer than a search wants: they are compared one by one, since the
//            server's vector search can fail where the filter matches less than its LIMIT
CALL () {
  MATCH (c:Concept)
  USING INDEX SEEK c:Concept(memory, kind, label_key)
  WHERE c.memory = $memory AND c.kind = 'concept' AND c.label_key >= ''
  WITH c LIMIT 20
  RETURN collect(c) AS few
}
UNWIND $rows AS row
CALL (row) {
  MATCH (c:Concept)
  USING INDEX SEEK c:Concept(memory, kind, label_key)
  WHERE c.memory = $memory AND c.kind IN row.kinds AND c.label_key = row.key
  RETURN collect({id: c.id, label: c.label, kind: c.kind}) AS exact
}
CALL (row, exact, few) {
  CALL (row, exact, few) {
    WITH row, exact, few WHERE size(exact) = 0 AND row.vector IS NOT NULL AND size(few) < 20
    UNWIND few AS c
    RETURN c, vector.similarity.cosine(c.embedding, row.vector) AS score
    UNION ALL
    WITH row, exact, few WHERE size(exact) = 0 AND row.vector IS NOT NULL AND size(few) = 20
    MATCH (c:Concept)
      SEARCH c IN (VECTOR INDEX concept_embedding FOR row.vector WHERE c.memory = $memory AND c.kind = 'concept' LIMIT 20)
      SCORE AS score
    RETURN c, score
  }
  WITH c, score ORDER BY score DESC, c.id LIMIT $most
  RETURN collect({id: c.id, label: c.label, kind: c.kind, score: 2 * score - 1}) AS similar
}
CALL (row, exact) {
  WITH row, exact WHERE size(exact) = 0 AND row.words IS NOT NULL
  CALL db.index.fulltext.queryNodes('concept_text', row.words, {limit: 50}) YIELD node AS c, score
  WHERE c.memory = $memory AND c.kind IN row.kinds
  WITH c, score ORDER BY score DESC, c.id LIMIT $most
  RETURN collect({id: c.id, label: c.label, kind: c.kind, aliases: c.aliases}) AS lexical
}
RETURN row.i AS i, exact, similar, lexical
