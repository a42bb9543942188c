// The same for a part of the memory: every matching record is compared, so nothing that fits is missed.
// $session, $speaker, $since, $until (ISO, until exclusive; ten characters are a local day): null for any.
MATCH (r:Record)
WHERE r.memory = $memory AND r.resting IS NULL
  AND ($session IS NULL OR r.session = $session)
  AND ($speaker IS NULL OR r.speaker = $speaker)
  AND ($since IS NULL OR CASE WHEN size($since) = 10 THEN r.at >= $since ELSE datetime(r.at) >= datetime($since) END)
  AND ($until IS NULL OR CASE WHEN size($until) = 10 THEN r.at < $until ELSE datetime(r.at) < datetime($until) END)
WITH r, coalesce(2 * vector.similarity.cosine(r.embedding, $vector) - 1, 0.0) AS cosine
ORDER BY cosine DESC, r.id
LIMIT $limit
RETURN collect([r.id, cosine]) AS found
