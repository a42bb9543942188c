// The sleeps of a memory, newest first: turns covered, how each ended, what it did (JSON).
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (s:Sleep)
WHERE s.memory = $memory
RETURN s.since AS from_turn, s.turn AS to_turn, s.state AS state, s.report AS did, s.failure AS failure,
       s.attempts AS attempts, toString(s.started_at) AS started,
       duration.inSeconds(s.started_at, s.finished_at).seconds AS seconds, toString(s.due) AS due, s.owner AS by
ORDER BY to_turn DESC
LIMIT 100
