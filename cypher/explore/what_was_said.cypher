// The literal words of records that mention a concept, newest first.
// Paste into Neo4j Browser after   :param memory => 'demo'
// and   :param concept => 'Ana'   (a label, in any case, or an alias)
MATCH (c:Concept)<-[m:MENTIONS]-(r:Record)
WHERE c.memory = $memory
  AND (c.label_key = toLower($concept) OR any(alias IN c.aliases WHERE toLower(alias) = toLower($concept)))
RETURN r.turn AS turn, r.at AS at, r.speaker AS speaker, coalesce(r.verbatim, r.text) AS text,
       m.surface AS said_as, m.method AS matched_by
ORDER BY turn DESC
LIMIT 100
