// The checkpoints of a memory, the first one first, and what its node says of the chain. No row without the memory.
MATCH (m:Memory {name: $memory})
CALL () {
  MATCH (c:Checkpoint)
  USING INDEX SEEK c:Checkpoint(memory, number)
  WHERE c.memory = $memory AND c.number > 0
  WITH c ORDER BY c.number
  RETURN collect(c {.number, .chain, .seq, .root, .head, .at, .authors, .public_key, .signature}) AS checkpoints
}
RETURN checkpoints, m.chain AS chain, m.authority AS authority, coalesce(m.entries, 0) AS entries,
       m.entry_hash AS head
