// Lock the memory and read where the turn stands. `clock` counts closed turns; `replied` is the turn whose reply is kept.
// $tombstone: what is kept of the turn if it was forgotten (`gone`); null for a reply to no turn.
MATCH (m:Memory {name: $memory})
SET m.lock = $turn_id
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
OPTIONAL MATCH (r:Record {memory: $memory, id: $record_id})
USING INDEX SEEK r:Record(memory, id)
OPTIONAL MATCH (reply:Record {memory: $memory, id: $reply_id})
USING INDEX SEEK reply:Record(memory, id)
RETURN m.turn AS clock, m.open_turn AS open_turn, r.turn AS turn, coalesce(r.acknowledged, false) AS acknowledged,
       reply.turn AS replied, coalesce(r.forgot, false) AS forgot,
       r IS NULL AND $tombstone IS NOT NULL AND EXISTS {
         MATCH (f:Forgetting) USING INDEX SEEK f:Forgetting(memory) WHERE f.memory = $memory AND $tombstone IN f.gone
       } AS gone
