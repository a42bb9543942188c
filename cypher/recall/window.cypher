// What was said in time windows, and which associations date something in them. One row.
//   said   every record of the windows in the order of the conversation: [id, session, time, role, rests, length,
//          mentioned concepts]
//   dated  associations that hold and whose date begins in the months around a window: [id, date, record ids]
// $spans: [[first day, day after the last]] as ISO days, disjoint; a record's day is that of its own offset.
// $events: [[earliest, latest]] beginning of a date, as text; none if no association is asked for.
// $session, $speaker, $since, $until (ISO, until
// exclusive; ten characters are a local day), $kind (of record): null for any.
CALL () {
  UNWIND $spans AS span
  MATCH (r:Record)
  USING INDEX SEEK r:Record(memory, at)
  WHERE r.memory = $memory AND span[0] <= r.at AND r.at < span[1]
    AND ($session IS NULL OR r.session = $session)
    AND ($speaker IS NULL OR r.speaker = $speaker)
    AND ($kind IS NULL OR r.kind = $kind)
    AND ($since IS NULL
         OR CASE WHEN size($since) = 10 THEN r.at >= $since ELSE datetime(r.at) >= datetime($since) END)
    AND ($until IS NULL
         OR CASE WHEN size($until) = 10 THEN r.at < $until ELSE datetime(r.at) < datetime($until) END)
  WITH r ORDER BY r.turn, r.role DESC, r.id
  RETURN collect([r.id, r.session, r.at, r.role, r.resting IS NOT NULL, size(r.text),
                  COUNT { (r)-[:MENTIONS]->() }]) AS said
}
CALL () {
  UNWIND $events AS span
  MATCH ()-[a:ASSOCIATED]->()
  USING INDEX SEEK a:ASSOCIATED(memory, when)
  WHERE a.memory = $memory AND span[0] <= a.when AND a.when < span[1] AND a.superseded_turn IS NULL
  RETURN collect([a.id, a.when, a.records]) AS dated
}
RETURN said, dated
