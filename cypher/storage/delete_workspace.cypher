// Delete what a memory's workspace leaves beside records: notes that recall does not read, files, vectors; by 500.
CALL () {
  MATCH (n:Note) WHERE n.memory = $memory AND n.id > ''
  RETURN n
  UNION
  MATCH (n:NoteFile) WHERE n.memory = $memory AND n.shelf > '' AND n.path > ''
  RETURN n
  UNION
  MATCH (n:NoteVector) WHERE n.memory = $memory AND n.text_key > ''
  RETURN n
  UNION
  MATCH (n:Workspace {memory: $memory})
  RETURN n
}
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS
