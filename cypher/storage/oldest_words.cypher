// The packed words of the oldest record that has some; no row if none has.
MATCH (r:Record {memory: $memory})
WHERE r.words IS NOT NULL
RETURN r.words AS words
ORDER BY r.turn LIMIT 1
