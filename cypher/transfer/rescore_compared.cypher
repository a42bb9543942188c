// Pairs of concepts that are in doubt resemble each other as the new model says; names are compared by their letters, and
// what was decided stays decided, with the score that it was decided on. In transactions of 500.
MATCH (a:Concept|Merged)-[k:COMPARED]->(b:Concept|Merged)
WHERE a.memory = $memory AND k.verdict = 'doubtful' AND a.kind = 'concept'
CALL (a, b, k) { SET k.score = 2 * vector.similarity.cosine(a.embedding, b.embedding) - 1 } IN TRANSACTIONS OF 500 ROWS
