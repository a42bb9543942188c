// The notes of some files: [id, whether it has a vector]. $shelf: of which index; $paths; $foreign: whether vectors are of
// another model than the memory's
UNWIND $paths AS path
MATCH (n:Note)
USING INDEX SEEK n:Note(memory, shelf, path)
WHERE n.memory = $memory AND n.shelf = $shelf AND n.path = path
RETURN path, collect([n.id, CASE WHEN $foreign THEN n.foreign_embedding ELSE n.embedding END IS NOT NULL]) AS notes
