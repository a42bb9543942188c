// Lock the memory (its writers are serial from here to the commit), read its clock, and where it stands, as
// working_set/version does. $memory, $turn_id, $record_id, $version, $stamp, $kept → one row, none if the memory cannot
// be used now; `seen` is the turn number if this turn was written before.
MATCH (m:Memory {name: $memory})
SET m.lock = $turn_id
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
OPTIONAL MATCH (seen:Record {memory: $memory, id: $record_id})
USING INDEX SEEK seen:Record(memory, id)
RETURN m.turn AS clock, m.open_turn AS open_turn, m.last_reply AS last_reply, seen.turn AS seen,
       seen.surprise AS surprise, seen.extraction AS extraction,
       true AS found, coalesce(m.version, 0) AS version, coalesce(m.stamp, '') AS stamp, m.dimensions AS dimensions,
       CASE WHEN m.stamp = $stamp THEN [] ELSE
         [v IN range($version + 1, coalesce(m.version, 0))
          WHERE coalesce(m.version, 0) - $version <= $kept | m['touched_' + toString(v % $kept)]] END AS touched,
       CASE WHEN m.stamp = $stamp THEN null ELSE [coalesce(m.dim, []), coalesce(m.dim_activation, [])] END AS dim
