// Erase the values of some entries for ever, and of what was generated from them; hashes and a tombstone stay, so that the
// chain still verifies. The one statement that changes entries. $ids: of entries; $by: who asked for it; $token: any text.
// What is derived goes, too: mentions, summaries that cover them, what was kept to answer a repeated write.
// Ids of other records are ignored.
MATCH (m:Memory {name: $memory})
SET m.lock = $token
WITH m
CALL () {
  UNWIND $ids AS id
  MATCH (e:Entry {memory: $memory, id: id})
  USING INDEX SEEK e:Entry(memory, id)
  RETURN e
  UNION
  UNWIND $ids AS id
  MATCH (o:Entry {memory: $memory, id: id})<-[:COVERS]-(e:Entry)
  USING INDEX SEEK o:Entry(memory, id)
  WHERE e.generated
  RETURN e
}
WITH DISTINCT m, e WHERE e.erased_at IS NULL
SET e.text = null, e.salt = null, e.semantic_hash = null, e.embedding = null, e.vector_bytes = null, e.words = null,
    e.erased_at = datetime(), e.erased_by = $by, e.forgetting = null
WITH m, collect(e) AS erased
SET m.erasures = coalesce(m.erasures, 0) + 1, m.entry_epoch = coalesce(m.entry_epoch, 0) + 1
WITH erased
CALL (erased) {
  UNWIND erased AS e
  MATCH (e)-[s:MENTIONS]->(c)
  SET c.mentions = CASE WHEN c.mentions > 0 THEN c.mentions - 1 ELSE 0 END
  DELETE s
  RETURN count(*) AS mentions
}
CALL (erased) {
  UNWIND erased AS e
  MATCH (e)-[s:WAS_MENTIONED]->()
  DELETE s
  RETURN count(*) AS former
}
CALL (erased) {
  UNWIND erased AS e
  MATCH (e)-[c:CONTRADICTS]-()
  REMOVE c.reason
  RETURN count(*) AS reasons
}
CALL (erased) {
  WITH [e IN erased | e.id] AS ids
  MATCH (r:Receipt)
  USING INDEX SEEK r:Receipt(memory, ia_author, idempotency_key)
  WHERE r.memory = $memory AND r.ia_author > '' AND r.idempotency_key > '' AND any(id IN r.entries WHERE id IN ids)
  SET r.reply = null, r.content_hash = null, r.salt = null
  RETURN count(r) AS receipts
}
CALL (erased) {
  WITH [e IN erased | e.id] AS ids
  MATCH (d:Digest)
  USING INDEX SEEK d:Digest(memory, id)
  WHERE d.memory = $memory AND d.id > '' AND (d.level > 1 OR any(id IN d.covers WHERE id IN ids))
  DELETE d
  RETURN count(*) AS digests
}
RETURN [e IN erased | e.id] AS erased
