// Let recall read notes of the index that answers, a page of them; their ids. $shelf: of the index; $page: rows
MATCH (n:Note)
USING INDEX SEEK n:Note(memory, unlinked)
WHERE n.memory = $memory AND n.unlinked = true AND n.shelf = $shelf AND NOT n:Record
WITH n LIMIT $page
SET n:Record:Unindexed
RETURN collect(n.id) AS promoted
