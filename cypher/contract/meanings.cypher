// The claims of a key that have a vector, in the order of the chain, superseded ones too: what a drift is looked for in.
// $remarks: types of entries that claim nothing; $dimensions: of a vector.
MATCH (e:Entry)
USING INDEX SEEK e:Entry(memory, field_key, seq)
WHERE e.memory = $memory AND e.field_key = $key AND e.seq > 0 AND NOT e.generated AND e.embedding IS NOT NULL
  AND NOT e.entry_type IN $remarks
WITH e ORDER BY e.seq
RETURN e.id AS id, e.seq AS seq, e.ia_author AS ia_author, e.at AS at, vector(e.embedding, $dimensions, FLOAT32) AS vector
