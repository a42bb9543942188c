// One page of the enrolments of a memory's authors, by name. $after: the key of the page's predecessor; $page: rows.
MATCH (a:Author)
USING INDEX SEEK a:Author(memory, ia_author, number)
WHERE a.memory = $memory AND a.ia_author >= $after[0] AND a.number > 0
WITH a, [a.ia_author, a.number] AS key
WHERE key > $after
WITH a, key ORDER BY key LIMIT $page
RETURN key, properties(a) AS properties
