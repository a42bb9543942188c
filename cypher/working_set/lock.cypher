// Wait for the writer of a memory that is committing, and keep others out until the transaction ends: a reader without a
// lock may see a part of what is being committed. The property never changes, so nothing is written. $at: 0
// Where the memory stands, as working_set/version tells it: $version, $stamp, $kept. No row if there is no such memory.
MATCH (m:Memory {name: $memory})
SET m.gate = $at
RETURN true AS found, coalesce(m.version, 0) AS version, coalesce(m.stamp, '') AS stamp, m.turn AS clock,
       m.open_turn AS open_turn, m.last_reply AS last_reply, m.dimensions AS dimensions,
       m.deleting IS NULL AND m.importing IS NULL AND m.reembedding IS NULL AS usable,
       CASE WHEN m.stamp = $stamp THEN [] ELSE
         [v IN range($version + 1, coalesce(m.version, 0))
          WHERE coalesce(m.version, 0) - $version <= $kept | m['touched_' + toString(v % $kept)]] END AS touched,
       CASE WHEN m.stamp = $stamp THEN null ELSE [coalesce(m.dim, []), coalesce(m.dim_activation, [])] END AS dim
