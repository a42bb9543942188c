// One page of a key's entries, not locked: of what a process that stays reads of a key with many. $after: place of the page's
// predecessor; $upto: the last place to read; $page: entries; $dimensions: of vectors. One row:
//   chain, epoch  as by `contract/lock_keys`, with the entries, in order, as parallel values
//   last          the place of the memory's last entry
MATCH (m:Memory {name: $memory})
CALL () {
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, field_key, seq)
  WHERE e.memory = $memory AND e.field_key = $key AND $after < e.seq <= $upto
  WITH e ORDER BY e.memory, e.field_key, e.seq LIMIT $page
  WITH e ORDER BY e.seq
  RETURN collect([e.seq, e.id, e.ia_author, e.entry_type, e.generated, CASE WHEN NOT e.generated THEN e.text END,
                  e.semantic_hash, e.parents, e.covers, e.erased_at IS NOT NULL,
                  vector(e.embedding, $dimensions, FLOAT32), e.at, e.confidence]) AS entries
}
RETURN m.chain AS chain, coalesce(m.entry_epoch, 0) AS epoch, coalesce(m.entries, 0) AS last, entries
