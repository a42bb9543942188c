// What is asked of the vectors of a memory's records, all at once. Lists of [id, cosine]: `near`, for each of $queries, vectors,
// in their order the records nearest to it by the index, $most at most; `compared`, for each of $compared, {ids, vector}, the
// cosines of these with that, without those that are gone; null for one without a vector.
RETURN
  [query IN $queries | COLLECT {
    MATCH (r:IndexedRecord)
      SEARCH r IN (VECTOR INDEX record_embedding FOR query WHERE r.memory = $memory LIMIT $most)
      SCORE AS score
    RETURN [r.id, 2 * score - 1]
  }] AS near,
  [one IN $compared | COLLECT {
    UNWIND one.ids AS id
    MATCH (r:Record {memory: $memory, id: id})
    USING INDEX SEEK r:Record(memory, id)
    RETURN [r.id, 2 * vector.similarity.cosine(r.embedding, one.vector) - 1]
  }] AS compared
