// The end of a sleep. $failure: null when every step was done; then the memory has slept, up to the turn of this run.
MATCH (m:Memory {name: $memory}), (s:Sleep {memory: $memory, turn: $turn})
SET s.report = $report, s.failure = $failure, s.finished_at = datetime(),
    s.state = CASE WHEN $failure IS NULL THEN 'done' ELSE 'failed' END,
    m.slept_turn = CASE WHEN $failure IS NULL THEN $turn ELSE m.slept_turn END
RETURN s.state AS state
