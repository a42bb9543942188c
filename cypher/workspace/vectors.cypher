// The vectors of some texts that are known, by the hash of text and model. $keys; $dimensions: of a vector.
UNWIND $keys AS key
CALL (key) {
  MATCH (n:Note)
  USING INDEX SEEK n:Note(memory, text_key)
  WHERE n.memory = $memory AND n.text_key = key AND coalesce(n.embedding, n.foreign_embedding) IS NOT NULL
  RETURN coalesce(n.foreign_embedding, n.embedding) AS embedding, n.words AS words LIMIT 1
  UNION ALL
  MATCH (v:NoteVector {memory: $memory, text_key: key})
  RETURN v.embedding AS embedding, v.words AS words
}
WITH key, head(collect(embedding)) AS embedding, head(collect(words)) AS words
RETURN key, vector(embedding, $dimensions, FLOAT32) AS vector, words
