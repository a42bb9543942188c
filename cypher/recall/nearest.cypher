// Which records were said right before and right after empty time windows: [id, time]. One row.
// $spans: [[first day, day after the last]] as ISO days, disjoint; a record's day is that of its own offset. $around:
// records on each side. $session, $speaker, $since, $until (ISO, until exclusive; ten characters are a local day), $kind
// (of record): null for any.
CALL () {
  UNWIND $spans AS span
  CALL (span) {
    MATCH (r:Record)
    USING INDEX SEEK r:Record(memory, at)
    WHERE r.memory = $memory AND r.at < span[0] AND r.resting IS NULL
      AND ($session IS NULL OR r.session = $session)
      AND ($speaker IS NULL OR r.speaker = $speaker)
      AND ($kind IS NULL OR r.kind = $kind)
      AND ($since IS NULL
           OR CASE WHEN size($since) = 10 THEN r.at >= $since ELSE datetime(r.at) >= datetime($since) END)
      AND ($until IS NULL
           OR CASE WHEN size($until) = 10 THEN r.at < $until ELSE datetime(r.at) < datetime($until) END)
    RETURN r ORDER BY r.at DESC LIMIT $around
    UNION ALL
    MATCH (r:Record)
    USING INDEX SEEK r:Record(memory, at)
    WHERE r.memory = $memory AND r.at >= span[1] AND r.resting IS NULL
      AND ($session IS NULL OR r.session = $session)
      AND ($speaker IS NULL OR r.speaker = $speaker)
      AND ($kind IS NULL OR r.kind = $kind)
      AND ($since IS NULL
           OR CASE WHEN size($since) = 10 THEN r.at >= $since ELSE datetime(r.at) >= datetime($since) END)
      AND ($until IS NULL
           OR CASE WHEN size($until) = 10 THEN r.at < $until ELSE datetime(r.at) < datetime($until) END)
    RETURN r ORDER BY r.at LIMIT $around
  }
  WITH DISTINCT r
  RETURN collect([r.id, r.at]) AS said
}
RETURN said
