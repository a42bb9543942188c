// How much an index holds. $shelf: which. One row; `bare`: notes without a vector; `unlinked`: of all indexes.
CALL () {
  MATCH (f:NoteFile)
  USING INDEX SEEK f:NoteFile(memory, shelf, path)
  WHERE f.memory = $memory AND f.shelf = $shelf AND f.path > ''
  RETURN count(f) AS files, coalesce(sum(f.chunks), 0) AS notes, coalesce(sum(f.bare), 0) AS bare
}
RETURN files, notes, bare, COUNT { MATCH (n:Note) WHERE n.memory = $memory AND n.unlinked = true } AS unlinked,
       COUNT { MATCH (v:NoteVector) WHERE v.memory = $memory AND v.text_key > '' } AS cached
