// Summaries of old episodes beside the literal words, and episodes that left the recall path.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (r:Record)
WHERE r.memory = $memory AND r.verbatim IS NOT NULL
RETURN r.turn AS turn, r.speaker AS speaker, CASE WHEN r.resting THEN 'rests' ELSE 'gist' END AS state, r.text AS gist,
       r.verbatim AS verbatim, size(r.text) AS characters, size(r.verbatim) AS were, r.gist_turn AS made_at_turn,
       r.gist_by AS made_by
ORDER BY turn, speaker
LIMIT 100
