// Delete what a memory's contract leaves beside records: generated entries, contracts, authors, receipts, checkpoints,
// summaries, the nodes that serialise writers; in transactions of 500.
CALL () {
  MATCH (n:Entry) WHERE n.memory = $memory AND n.id > ''
  RETURN n
  UNION
  MATCH (n:EntryKey) WHERE n.memory = $memory AND n.key > ''
  RETURN n
  UNION
  MATCH (n:Contract) WHERE n.memory = $memory AND n.number > 0
  RETURN n
  UNION
  MATCH (n:Author) WHERE n.memory = $memory AND n.ia_author > '' AND n.number > 0
  RETURN n
  UNION
  MATCH (n:Receipt) WHERE n.memory = $memory AND n.ia_author > '' AND n.idempotency_key > ''
  RETURN n
  UNION
  MATCH (n:Checkpoint) WHERE n.memory = $memory AND n.number > 0
  RETURN n
  UNION
  MATCH (n:Digest) WHERE n.memory = $memory AND n.id > ''
  RETURN n
}
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS
