// Turns whose extraction failed. Their words are kept; `oroi retry` extracts them again.
// Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (r:Record)
WHERE r.memory = $memory AND r.extraction = 'failed'
RETURN r.turn AS turn, r.at AS at, r.speaker AS speaker, r.text AS text, r.extractor AS extractor, r.failure AS failure
ORDER BY turn
