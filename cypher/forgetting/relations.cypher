// Every relation phrase of a memory, each once: one that names what is forgotten goes, whatever it joins.
MATCH (c:Concept)-[a:ASSOCIATED]->()
WHERE c.memory = $memory
RETURN DISTINCT a.relation AS relation
ORDER BY relation
