// A page of what an index that no longer answers holds: ids of notes and paths of files. $shelf: its; $page: of each.
CALL () {
  MATCH (n:Note)
  USING INDEX SEEK n:Note(memory, shelf, path)
  WHERE n.memory = $memory AND n.shelf = $shelf AND n.path > ''
  WITH n LIMIT $page
  RETURN collect(n.id) AS notes
}
CALL () {
  MATCH (f:NoteFile)
  USING INDEX SEEK f:NoteFile(memory, shelf, path)
  WHERE f.memory = $memory AND f.shelf = $shelf AND f.path > ''
  WITH f LIMIT $page
  RETURN collect(f.path) AS files
}
RETURN notes, files
