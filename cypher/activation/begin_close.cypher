// Lock the memory and read where the turn stands. `clock` counts closed turns; `replied` is the turn whose reply is kept.
// $tombstone: what is kept of the turn if it was forgotten (`gone`); null for a reply to no turn. $reply_tombstone: the
// same of the reply (`unsaid`); null if there is none.
// Where the memory stands is read as in perception/open_turn. $version, $stamp, $kept
MATCH (m:Memory {name: $memory})
SET m.lock = $turn_id
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
OPTIONAL MATCH (r:Record {memory: $memory, id: $record_id})
USING INDEX SEEK r:Record(memory, id)
OPTIONAL MATCH (reply:Record {memory: $memory, id: $reply_id})
USING INDEX SEEK reply:Record(memory, id)
RETURN m.turn AS clock, m.open_turn AS open_turn, m.last_reply AS last_reply, r.turn AS turn,
       coalesce(r.acknowledged, false) AS acknowledged, reply.turn AS replied, coalesce(r.forgot, false) AS forgot,
       r IS NULL AND $tombstone IS NOT NULL AND EXISTS {
         MATCH (f:Forgetting) USING INDEX SEEK f:Forgetting(memory) WHERE f.memory = $memory AND $tombstone IN f.gone
       } AS gone,
       reply IS NULL AND $reply_tombstone IS NOT NULL AND EXISTS {
         MATCH (f:Forgetting) USING INDEX SEEK f:Forgetting(memory)
         WHERE f.memory = $memory AND $reply_tombstone IN f.gone
       } AS unsaid,
       true AS found, coalesce(m.version, 0) AS version, coalesce(m.stamp, '') AS stamp, m.dimensions AS dimensions,
       CASE WHEN m.stamp = $stamp THEN [] ELSE
         [v IN range($version + 1, coalesce(m.version, 0))
          WHERE coalesce(m.version, 0) - $version <= $kept | m['touched_' + toString(v % $kept)]] END AS touched,
       CASE WHEN m.stamp = $stamp THEN null ELSE [coalesce(m.dim, []), coalesce(m.dim_activation, [])] END AS dim
