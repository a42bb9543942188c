// The words in which some concepts were mentioned, by record; what was absorbed by a merge included.
// $concepts: ids of concepts and of merged ones.
CALL () {
  UNWIND $concepts AS id
  MATCH (c:Concept {memory: $memory, id: id})<-[m:MENTIONS]-(r:Record)
  RETURN r, m, id
  UNION
  UNWIND $concepts AS id
  MATCH (c:Merged {memory: $memory, id: id})<-[m:WAS_MENTIONED]-(r:Record)
  RETURN r, m, id
}
RETURN r.id AS record, id AS concept, m.surface AS surface
ORDER BY record, concept
