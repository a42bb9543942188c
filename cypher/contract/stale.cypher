// Memories whose entries are not all in summaries, or wait for vectors, and that nobody is at work on; of the whole
// database, or of $names only.
MATCH (m:Memory)
WHERE ($names IS NULL OR m.name IN $names)
  AND (m.entries > coalesce(m.digested, 0) OR coalesce(m.erasures, 0) <> coalesce(m.digested_erasures, 0)
       OR size(coalesce(m.bare, [])) > 0)
  AND m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
  AND (m.lease_owner IS NULL OR m.lease_until <= datetime())
RETURN m.name AS memory, m.embedding_model AS model
ORDER BY rand()
