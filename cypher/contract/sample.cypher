// How many entries are selected, how many of each day (UTC), and the ids of some: the newest $newest, and $spread others
// evenly over the rest.
// Selected as by `contract/read`: of one key ($key), or one author ($author), or all, from $since on, as it was at $at;
// $history: superseded and erased ones, too; $generated: those of the backend, too. $limits: {key: time (ISO) before which
// its entries do not count}. One row.
CALL () {
  WITH 1 AS one WHERE $key IS NOT NULL
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, field_key, seq)
  WHERE e.memory = $memory AND e.field_key = $key AND e.seq >= $since
  RETURN e
  UNION ALL
  WITH 1 AS one WHERE $key IS NULL AND $author IS NOT NULL
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, ia_author, seq)
  WHERE e.memory = $memory AND e.ia_author = $author AND e.seq >= $since
  RETURN e
  UNION ALL
  WITH 1 AS one WHERE $key IS NULL AND $author IS NULL
  MATCH (e:Entry)
  USING INDEX SEEK e:Entry(memory, seq)
  WHERE e.memory = $memory AND e.seq >= $since
  RETURN e
}
WITH e
WHERE e.at <= $at AND ($author IS NULL OR e.ia_author = $author) AND ($generated OR NOT e.generated)
  AND ($history OR (e.erased_at IS NULL AND e.at >= coalesce($limits[e.field_key], '')
                    AND NOT EXISTS { (z:Entry)-[:SUPERSEDES]->(e) WHERE z.at <= $at }))
WITH e ORDER BY e.seq DESC
WITH collect([e.id, substring(e.at, 0, 10)]) AS found
CALL (found) {
  UNWIND found AS one
  WITH one[1] AS day, count(*) AS entries
  RETURN collect([day, entries]) AS days
}
WITH days, [one IN found | one[0]] AS ids
WITH days, ids, ids[$newest..] AS rest
WITH days, ids, rest, size(rest) AS n
RETURN size(ids) AS count, days,
       ids[..$newest] + CASE WHEN n <= $spread THEN rest
         ELSE [i IN range(0, $spread - 1) | rest[toInteger(round(i * (n - 1.0) / ($spread - 1)))]] END AS ids
