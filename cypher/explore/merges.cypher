// Merges of sleep, newest first: the absorbed concept, the surviving one, who decided, with which score.
// `oroi merges undo` takes the id. Paste into Neo4j Browser after   :param memory => 'demo'
MATCH (b:Merged)-[m:MERGED_INTO]->(a)
WHERE b.memory = $memory
RETURN m.place AS place, b.label AS absorbed, a.label AS into, b.kind AS kind, m.by AS decided_by, m.method AS method,
       round(m.score, 3) AS score, m.turn AS turn, toString(m.at) AS at,
       COUNT { (b)-[:WAS_ASSOCIATED]-() } AS facts, COUNT { (b)<-[:WAS_MENTIONED]-() } AS records, m.id AS id
ORDER BY place DESC
LIMIT 100
