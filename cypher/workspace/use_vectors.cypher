// Note when vectors were used last, and drop those unused for longest, so that $most are left. $keys; $now: milliseconds
CALL () {
  UNWIND $keys AS key
  MATCH (v:NoteVector {memory: $memory, text_key: key})
  SET v.used = $now
  RETURN count(v) AS used
}
CALL () {
  MATCH (v:NoteVector)
  USING INDEX SEEK v:NoteVector(memory, used)
  WHERE v.memory = $memory AND v.used > 0
  WITH count(v) AS held
  CALL (held) {
    WITH held WHERE held > $most
    MATCH (v:NoteVector)
    USING INDEX SEEK v:NoteVector(memory, used)
    WHERE v.memory = $memory AND v.used > 0
    WITH v, held ORDER BY v.used LIMIT 10000
    WITH collect(v)[..held - $most] AS oldest
    UNWIND oldest AS v
    DELETE v
    RETURN count(*) AS dropped
  }
  RETURN dropped
}
RETURN used, dropped
