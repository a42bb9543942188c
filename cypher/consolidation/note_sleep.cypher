// What a sleep has done so far. $report: JSON text of counts.
MATCH (s:Sleep {memory: $memory, turn: $turn})
SET s.report = $report
RETURN s.turn AS turn
