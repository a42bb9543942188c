// How many vectors a memory has, concepts' and records' together, about.
RETURN COUNT { MATCH (c:Concept) WHERE c.memory = $memory }
       + COUNT { MATCH (r:Record) WHERE r.memory = $memory } AS vectors
