// Where a memory stands: the number and the stamp of its last change, its clock, whether it can be used now, and what was
// touched since change $version, one list a change: the stamp before it and its marks (null: not known; see
// storage/raise_version). One row; `found` is false if there is no such memory.
// `dim`: concepts that are lit too faintly to outlast the turn, and how much (see perception/write_turn).
// $stamp: of the state that is known, for which nothing but the numbers is wanted.
OPTIONAL MATCH (m:Memory {name: $memory})
RETURN m IS NOT NULL AS found, coalesce(m.version, 0) AS version, coalesce(m.stamp, '') AS stamp, m.turn AS clock,
       m.open_turn AS open_turn, m.last_reply AS last_reply, m.dimensions AS dimensions,
       m.deleting IS NULL AND m.importing IS NULL AND m.reembedding IS NULL AS usable,
       CASE WHEN m.stamp = $stamp THEN [] ELSE
         [v IN range($version + 1, coalesce(m.version, 0))
          WHERE coalesce(m.version, 0) - $version <= $kept | m['touched_' + toString(v % $kept)]] END AS touched,
       CASE WHEN m.stamp = $stamp THEN null ELSE [coalesce(m.dim, []), coalesce(m.dim_activation, [])] END AS dim
