// Lock the memory and read the end of its chain: whoever holds this lock appends next. No row if it takes no writes now.
// $token: any text; $receipts: [[author, idempotency key]], those that exist by now come back.
MATCH (m:Memory {name: $memory})
SET m.lock = $token
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
CALL () {
  UNWIND $receipts AS pair
  MATCH (r:Receipt {memory: $memory, ia_author: pair[0], idempotency_key: pair[1]})
  RETURN collect([r.ia_author, r.idempotency_key, r.content_hash, r.salt, r.reply]) AS receipts
}
OPTIONAL MATCH (c:Contract {memory: $memory, number: m.contract})
RETURN coalesce(m.entries, 0) AS seq, m.entry_hash AS previous, m.chain AS chain, c.schema_hash AS schema_hash,
       coalesce(m.entry_epoch, 0) AS epoch, datetime.realtime() AS now, m.turn AS clock, receipts
