// The last $limit sleeps, the newest first. $memories: of these memories; of all, if it is empty.
CALL () {
  UNWIND CASE WHEN size($memories) = 0 THEN [true] ELSE [] END AS all
  MATCH (s:Sleep)
  RETURN s
  UNION ALL
  UNWIND $memories AS name
  WITH DISTINCT name
  MATCH (s:Sleep)
  USING INDEX SEEK s:Sleep(memory)
  WHERE s.memory = name
  RETURN s
}
RETURN s.memory AS memory, s.turn AS turn, s.since AS since, s.state AS state, s.attempts AS attempts, s.owner AS owner,
       toString(s.started_at) AS started_at, toString(s.finished_at) AS finished_at, toString(s.due) AS due,
       s.failure AS failure, s.report AS report
ORDER BY coalesce(s.finished_at, s.started_at) DESC, memory, turn DESC
LIMIT $limit
