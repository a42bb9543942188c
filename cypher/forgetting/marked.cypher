// The next things that are marked to go, at most $page of each kind: records before concepts, associations last.
// One row; all lists are empty when nothing is left to do.
MATCH (m:Memory {name: $memory})
SET m.lock = 'forget'
WITH m
CALL () {
  MATCH (r:Record)
  WHERE r.memory = $memory AND r.forgetting IS NOT NULL
  WITH r ORDER BY r.id LIMIT $page
  RETURN collect(r.id) AS records
}
CALL (records) {
  WITH records WHERE size(records) = 0
  CALL () {
    MATCH (c:Concept)
    WHERE c.memory = $memory AND c.forgetting IS NOT NULL
    RETURN c
    UNION
    MATCH (c:Merged)
    WHERE c.memory = $memory AND c.forgetting IS NOT NULL
    RETURN c
  }
  WITH c ORDER BY c.id LIMIT $page
  RETURN collect(c.id) AS concepts
}
CALL (records, concepts) {
  WITH records, concepts WHERE size(records) = 0 AND size(concepts) = 0
  MATCH (c:Concept)-[a:ASSOCIATED]->()
  WHERE c.memory = $memory AND a.forgetting IS NOT NULL
  WITH a ORDER BY a.id LIMIT $page
  RETURN collect(a.id) AS associations
}
RETURN records, concepts, associations
