// Pairs of concepts mentioned in one turn without a stated relation: counted once a turn.
// $pairs: [[id, id]] with the smaller id first, so that a pair has one relationship.
UNWIND $pairs AS pair
MATCH (a:Concept {memory: $memory, id: pair[0]}), (b:Concept {memory: $memory, id: pair[1]})
USING INDEX SEEK a:Concept(memory, id)
USING INDEX SEEK b:Concept(memory, id)
MERGE (a)-[c:COINCIDED]->(b)
ON CREATE SET c.count = 0, c.memory = $memory
SET c.count = c.count + 1, c.last_turn = CASE WHEN $turn < c.last_turn THEN c.last_turn ELSE $turn END
RETURN count(c) AS pairs
