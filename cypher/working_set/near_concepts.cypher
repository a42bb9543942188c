// The concepts nearest to a vector by the index: [id, cosine], $most of them at most.
MATCH (c:IndexedConcept)
  SEARCH c IN (VECTOR INDEX concept_embedding FOR $vector WHERE c.memory = $memory LIMIT $most)
  SCORE AS score
RETURN collect([c.id, 2 * score - 1]) AS near
