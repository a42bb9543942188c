// The sleeps of a memory, the newest first: from which turn to which, how they ended, what they did (JSON).
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (s:Sleep)
WHERE s.memory = $memory
RETURN s.since AS from_turn, s.turn AS to_turn, s.state AS state, s.report AS did, s.failure AS failure,
       s.attempts AS attempts, toString(s.started_at) AS started,
       duration.inSeconds(s.started_at, s.finished_at).seconds AS seconds, toString(s.due) AS due, s.owner AS by
ORDER BY to_turn DESC
LIMIT 100
