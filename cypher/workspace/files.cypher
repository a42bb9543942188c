// The files that an index holds, with what they were like when they were read. $shelf: which index.
MATCH (f:NoteFile)
USING INDEX SEEK f:NoteFile(memory, shelf, path)
WHERE f.memory = $memory AND f.shelf = $shelf AND f.path > ''
RETURN f.path AS path, f.size AS size, f.modified AS modified, f.hash AS hash, f.checked AS checked,
       f.bare AS bare, f.messages AS messages
