// The concepts nearest to a vector by the index, of a memory that has more than $most: [id, cosine].
MATCH (c:Concept)
  SEARCH c IN (VECTOR INDEX concept_embedding FOR $vector WHERE c.memory = $memory LIMIT $most)
  SCORE AS score
RETURN collect([c.id, 2 * score - 1]) AS near
