// All contracts that were ever in force in a memory, the first one first. No row without the memory.
MATCH (m:Memory {name: $memory})
CALL () {
  MATCH (c:Contract)
  USING INDEX SEEK c:Contract(memory, number)
  WHERE c.memory = $memory AND c.number > 0
  WITH c ORDER BY c.number
  RETURN collect(c {.number, .document, .schema_hash, .version, .previous, .signature, .public_key,
                    published_at: toString(c.published_at)}) AS contracts
}
RETURN contracts, m.contract AS active, m.chain AS chain, m.authority AS authority
