// Lock some keys, so that their writers are serial from here to the commit, and read what the caller does not know yet.
// $rows: [{key, chain, epoch, after}], sorted by key: what the caller knows of each; $token: any text; $dimensions: of
// vectors; $authors: names; $receipts: [[author, idempotency key]]. One row; none if the memory takes no writes now.
//   epoch     a number that changes whenever something is erased or gets a vector
//   keys      [{key, after, entries}]: entries after that place, in order, as parallel values; `after` is 0
//             where what the caller knows is no longer so; `entries` is null where there are more than $most
//   enrolled  [[name, token hash, public key, whether revoked]] of the authors' latest enrolments
//   bare      number of entries that wait for a vector
//   receipts  of writes with an idempotency key: [author, key, hash, salt, reply]
MATCH (m:Memory {name: $memory})
WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
CALL (m) {
  UNWIND $rows AS row
  MERGE (k:EntryKey {memory: $memory, key: row.key})
  SET k.lock = $token
  WITH m, k, row, CASE WHEN m.chain = row.chain AND coalesce(m.entry_epoch, 0) = row.epoch THEN row.after ELSE 0 END AS after
  CALL (k, after) {
    MATCH (e:Entry)
    USING INDEX SEEK e:Entry(memory, field_key, seq)
    WHERE e.memory = $memory AND e.field_key = k.key AND e.seq > after
    WITH e LIMIT $most + 1
    RETURN count(e) AS unread
  }
  CALL (k, after, unread) {
    WITH k, after WHERE unread <= $most
    MATCH (e:Entry)
    USING INDEX SEEK e:Entry(memory, field_key, seq)
    WHERE e.memory = $memory AND e.field_key = k.key AND e.seq > after
    WITH e ORDER BY e.seq
    RETURN collect([e.seq, e.id, e.ia_author, e.entry_type, e.generated, e.text, e.semantic_hash, e.parents, e.covers,
                    e.erased_at IS NOT NULL, vector(e.embedding, $dimensions, FLOAT32), e.at, e.confidence]) AS entries
  }
  RETURN collect({key: k.key, after: after, entries: CASE WHEN unread <= $most THEN entries END}) AS keys
}
CALL () {
  UNWIND $authors AS name
  CALL (name) {
    MATCH (a:Author {memory: $memory, ia_author: name})
    USING INDEX SEEK a:Author(memory, ia_author, number)
    WHERE a.number > 0
    RETURN a ORDER BY a.number DESC LIMIT 1
  }
  RETURN collect([a.ia_author, a.token_hash, a.public_key, a.revoked_at IS NOT NULL]) AS enrolled
}
CALL () {
  UNWIND $receipts AS pair
  MATCH (r:Receipt {memory: $memory, ia_author: pair[0], idempotency_key: pair[1]})
  RETURN collect([r.ia_author, r.idempotency_key, r.content_hash, r.salt, r.reply]) AS receipts
}
OPTIONAL MATCH (c:Contract {memory: $memory, number: m.contract})
RETURN keys, enrolled, receipts, c.schema_hash AS schema_hash, m.chain AS chain, coalesce(m.entry_epoch, 0) AS epoch,
       datetime.realtime() AS now, size(coalesce(m.bare, [])) AS bare
