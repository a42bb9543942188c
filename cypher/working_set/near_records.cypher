// The records nearest to a vector by the index: [id, cosine], $most of them at most.
MATCH (r:IndexedRecord)
  SEARCH r IN (VECTOR INDEX record_embedding FOR $vector WHERE r.memory = $memory LIMIT $most)
  SCORE AS score
RETURN collect([r.id, 2 * score - 1]) AS near
