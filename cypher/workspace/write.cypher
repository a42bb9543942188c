// Write notes of an index. $new: [{properties, vector | null}]; $kept: [{id, properties}], notes whose text is the same
// but not their place; $filled: [{id, vector, words}], notes that waited for a vector; $gone: ids of notes, whose vectors
// stay for texts that come back; $foreign: whether vectors are of another model than the memory's; $files: [{path, properties}] that are complete by this, $lost: paths of files that are no
// more; $now: milliseconds; $cache: whether to keep vectors. Recall does not read a new note before `workspace/promote`.
// concepts: ids of those that deleted notes mentioned.
CALL () {
  UNWIND $gone AS id
  MATCH (n:Note {memory: $memory, id: id})
  USING INDEX SEEK n:Note(memory, id)
  WHERE coalesce(n.embedding, n.foreign_embedding) IS NOT NULL AND n.text_key IS NOT NULL AND $cache
    AND COUNT { MATCH (o:Note {memory: $memory, text_key: n.text_key}) } < 2
  MERGE (v:NoteVector {memory: $memory, text_key: n.text_key})
  SET v.embedding = coalesce(n.embedding, n.foreign_embedding), v.words = n.words, v.used = $now
  RETURN count(v) AS cached
}
CALL () {
  UNWIND $gone AS id
  MATCH (n:Note {memory: $memory, id: id})-[:MENTIONS]->(c:Concept)
  SET c.mentions = CASE WHEN c.mentions > 0 THEN c.mentions - 1 ELSE 0 END
  RETURN collect(DISTINCT c.id) AS concepts
}
CALL () {
  UNWIND $gone AS id
  MATCH (n:Note {memory: $memory, id: id})
  DETACH DELETE n
  RETURN count(*) AS deleted
}
CALL () {
  UNWIND $lost AS path
  MATCH (f:NoteFile {memory: $memory, shelf: $shelf, path: path})
  DELETE f
  RETURN count(*) AS lost
}
CALL () {
  UNWIND $new AS row
  MERGE (n:Note {memory: $memory, id: row.properties.id})
  SET n = row.properties, n.unlinked = true,
      n.embedding = CASE WHEN NOT $foreign THEN toFloatList(row.vector.floats) END,
      n.vector_bytes = CASE WHEN NOT $foreign THEN row.vector.bytes END,
      n.foreign_embedding = CASE WHEN $foreign THEN toFloatList(row.vector.floats) END
  RETURN count(n) AS written
}
CALL () {
  UNWIND $kept AS row
  MATCH (n:Note {memory: $memory, id: row.id})
  SET n += row.properties
  RETURN count(n) AS kept
}
CALL () {
  UNWIND $filled AS row
  MATCH (n:Note {memory: $memory, id: row.id})
  SET n.words = row.words, n.embedding = CASE WHEN $foreign THEN n.embedding ELSE toFloatList(row.vector.floats) END,
      n.vector_bytes = CASE WHEN $foreign THEN n.vector_bytes ELSE row.vector.bytes END,
      n.foreign_embedding = CASE WHEN $foreign THEN toFloatList(row.vector.floats) END
  RETURN count(n) AS filled
}
CALL () {
  UNWIND $files AS row
  MERGE (f:NoteFile {memory: $memory, shelf: $shelf, path: row.path})
  SET f += row.properties
  RETURN count(f) AS files
}
RETURN written, kept, filled, deleted, files, concepts
