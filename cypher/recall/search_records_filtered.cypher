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
WITH collect({r: r, cosine: cosine}) AS hits
CALL () {
  WITH $words AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes('record_text', query, {limit: 1000}) YIELD node, score
  WHERE node.memory = $memory
  RETURN collect([node.id, score]) AS scored
}
UNWIND hits AS hit
RETURN collect([hit.r.id, coalesce([x IN scored WHERE x[0] = hit.r.id | x[1]][0], 0.0)]) AS found
