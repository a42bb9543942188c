// What is asked of the vectors of a memory's concepts and records, all at once. One row of lists of [id, cosine].
// $concepts, $records: vectors; for each of them, in this order, the rows nearest to it by the index, $most_concepts and
// $most_records at most. $compared_concepts, $compared_records: {ids, vector} each; for each of them the cosines of these
// with that, without those that are gone; null for one without a vector.
RETURN
  [query IN $concepts | COLLECT {
    MATCH (c:IndexedConcept)
      SEARCH c IN (VECTOR INDEX concept_embedding FOR query WHERE c.memory = $memory LIMIT $most_concepts)
      SCORE AS score
    RETURN [c.id, 2 * score - 1]
  }] AS concepts,
  [query IN $records | COLLECT {
    MATCH (r:IndexedRecord)
      SEARCH r IN (VECTOR INDEX record_embedding FOR query WHERE r.memory = $memory LIMIT $most_records)
      SCORE AS score
    RETURN [r.id, 2 * score - 1]
  }] AS records,
  [one IN $compared_concepts | COLLECT {
    UNWIND one.ids AS id
    MATCH (c:Concept {memory: $memory, id: id})
    USING INDEX SEEK c:Concept(memory, id)
    RETURN [c.id, 2 * vector.similarity.cosine(c.embedding, one.vector) - 1]
  }] AS compared_concepts,
  [one IN $compared_records | COLLECT {
    UNWIND one.ids AS id
    MATCH (r:Record {memory: $memory, id: id})
    USING INDEX SEEK r:Record(memory, id)
    RETURN [r.id, 2 * vector.similarity.cosine(r.embedding, one.vector) - 1]
  }] AS compared_records
