// What was found of pairs that were looked at: "apart" for good, "doubtful" until a judge has an opinion.
// $rows: [{a, b, verdict, by, score, method, turn}]
UNWIND $rows AS row
MATCH (a:Concept {memory: $memory, id: row.a}), (b:Concept {memory: $memory, id: row.b})
MERGE (a)-[k:COMPARED]-(b)
SET k.memory = $memory, k.verdict = row.verdict, k.by = row.by, k.score = row.score, k.method = row.method,
    k.turn = row.turn
RETURN count(k) AS compared
