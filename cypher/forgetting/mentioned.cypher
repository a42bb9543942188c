// What some records mention, and in which words. $records: ids.
UNWIND $records AS id
MATCH (r:Record {memory: $memory, id: id})-[m:MENTIONS]->(c:Concept)
RETURN r.id AS record, c.id AS concept, m.surface AS surface
ORDER BY record, concept
