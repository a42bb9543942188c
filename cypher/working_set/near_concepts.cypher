// What is asked of the vectors of a memory's concepts, all at once. Lists of [id, cosine]: `near`, for each of $queries, vectors,
// in their order the concepts nearest to it by the index, $most at most; `compared`, for each of $compared, {ids, vector}, the
// cosines of these with that, without those that are gone; null for one without a vector.
RETURN
  [query IN $queries | COLLECT {
    MATCH (c:IndexedConcept)
      SEARCH c IN (VECTOR INDEX concept_embedding FOR query WHERE c.memory = $memory LIMIT $most)
      SCORE AS score
    RETURN [c.id, 2 * score - 1]
  }] AS near,
  [one IN $compared | COLLECT {
    UNWIND one.ids AS id
    MATCH (c:Concept {memory: $memory, id: id})
    USING INDEX SEEK c:Concept(memory, id)
    RETURN [c.id, 2 * vector.similarity.cosine(c.embedding, one.vector) - 1]
  }] AS compared
