// The notes of some files: [id, whether it has a vector]. $shelf: of which index; $paths
UNWIND $paths AS path
MATCH (n:Note)
USING INDEX SEEK n:Note(memory, shelf, path)
WHERE n.memory = $memory AND n.shelf = $shelf AND n.path = path
RETURN path, collect([n.id, n.embedding IS NOT NULL]) AS notes
