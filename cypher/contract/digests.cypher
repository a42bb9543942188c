// The stored summaries of a memory's entries, without what they cover, and how far they reach. No row without the memory.
// upto: the place in the chain up to which entries are covered; erasures: how many there had been.
MATCH (m:Memory {name: $memory})
CALL () {
  MATCH (d:Digest)
  USING INDEX SEEK d:Digest(memory, id)
  WHERE d.memory = $memory AND d.id > ''
  WITH d ORDER BY d.level, d.name, d.id
  RETURN collect(d {.id, .level, .name, .short, .full, .short_tokens, .full_tokens, .count, .source, .by}) AS digests
}
RETURN digests, m.digested AS upto, coalesce(m.digested_erasures, 0) AS known_erasures,
       coalesce(m.erasures, 0) AS erasures, coalesce(m.entries, 0) AS entries
