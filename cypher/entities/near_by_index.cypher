// The nearest concepts of some concepts, their stored vectors being what is asked. $ids: concepts; $most: of each.
// `score` is the cosine. One row a concept that has any.
// `few`: the memory's concepts where they are fewer than a search wants: they are compared one by one, since the
// server's vector search can fail where the filter matches less than its LIMIT.
CALL () {
  MATCH (c:Concept)
  USING INDEX SEEK c:Concept(memory, kind, label_key)
  WHERE c.memory = $memory AND c.kind = 'concept' AND c.label_key >= ''
  WITH c LIMIT 20
  RETURN collect(c) AS few
}
UNWIND $ids AS id
MATCH (q:Concept {memory: $memory, id: id})
WHERE q.embedding IS NOT NULL
CALL (q, few) {
  CALL (q, few) {
    WITH q, few WHERE size(few) < 20
    UNWIND few AS c
    RETURN c, vector.similarity.cosine(c.embedding, q.embedding) AS score
    UNION ALL
    WITH q, few WHERE size(few) = 20
    MATCH (c:Concept)
      SEARCH c IN (VECTOR INDEX concept_embedding FOR q.embedding WHERE c.memory = $memory AND c.kind = 'concept' LIMIT 20)
      SCORE AS score
    RETURN c, score
  }
  WITH q, c, score WHERE c <> q AND 2 * score - 1 >= $least
  WITH c, score ORDER BY score DESC, c.id LIMIT $most
  RETURN collect(c.id) AS found, collect(2 * score - 1) AS scores
}
RETURN q.id AS id, found, scores
