// A page of notes that recall reads and whose concepts are not looked up yet. $page: rows
MATCH (n:Note)
USING INDEX SEEK n:Note(memory, unlinked)
WHERE n.memory = $memory AND n.unlinked = true AND n:Record
WITH n LIMIT $page
RETURN n.id AS id, n.text AS text
