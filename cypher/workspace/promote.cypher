// Let recall read notes of the index that answers, a page of them; how many. $shelf: of the index; $after: the id before the page.
MATCH (n:Note)
USING INDEX SEEK n:Note(memory, id)
WHERE n.memory = $memory AND n.id > $after AND n.shelf = $shelf AND NOT n:Record
WITH n ORDER BY n.memory, n.id LIMIT $page
SET n:Record
RETURN max(n.id) AS last, count(n) AS promoted
