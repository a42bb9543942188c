// Put gists in place of the words they were made from; a gist of nothing lets its record rest.
// Only where the record is still as it was read: the same words, the same facts that hold, nothing fixed meanwhile.
// $rows: [{id, text, facts: [id], gist, by, vector | null, words | null}]; $turn: the clock of this sleep.
UNWIND $rows AS row
MATCH (r:Record {memory: $memory, id: row.id})
USING INDEX SEEK r:Record(memory, id)
WHERE coalesce(r.verbatim, r.text) = row.text AND r.resting IS NULL AND NOT coalesce(r.fixed, false)
  AND coalesce(r.extraction, 'done') = 'done'
CALL (r) {
  UNWIND r.associations AS id
  MATCH ()-[a:ASSOCIATED {id: id}]->()
  USING INDEX SEEK a:ASSOCIATED(memory, id)
  WHERE a.memory = $memory AND a.implied IS NULL AND a.superseded_turn IS NULL
  WITH a.id AS fact ORDER BY fact
  RETURN collect(fact) AS holding
}
WITH r, row WHERE holding = row.facts
SET r.verbatim = row.text, r.text = row.gist,
    r.embedding = toFloatList(row.vector.floats), r.vector_bytes = row.vector.bytes,
    r.words = row.words,
    r.gist_turn = $turn, r.gist_by = row.by, r.gist_facts = row.facts,
    r.resting = CASE WHEN row.gist = '' THEN true END
RETURN r.id AS id
