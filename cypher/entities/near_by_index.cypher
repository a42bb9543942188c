// The nearest concepts of some concepts, their stored vectors being what is asked. $ids: concepts; $most: of each.
// `score` is the cosine. One row a concept that has any.
UNWIND $ids AS id
MATCH (q:Concept {memory: $memory, id: id})
WHERE q.embedding IS NOT NULL
CALL (q) {
  MATCH (c:IndexedConcept)
    SEARCH c IN (VECTOR INDEX concept_embedding FOR q.embedding WHERE c.memory = $memory AND c.kind = 'concept' LIMIT 20)
    SCORE AS score
  WITH q, c, score WHERE c <> q AND 2 * score - 1 >= $least
  WITH c, score ORDER BY score DESC, c.id LIMIT $most
  RETURN collect(c.id) AS found, collect(2 * score - 1) AS scores
}
RETURN q.id AS id, found, scores
