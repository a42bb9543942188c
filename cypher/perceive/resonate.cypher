// Candidates for every label of a turn, before anything is written.
// $rows: [{i, key, kinds, vector | null, words | null}]; a block runs only where the one before found nothing.
//   exact    same label key (an index seek)
//   similar  nearest concepts by meaning; the score is the cosine
//   lexical  labels and aliases that share, begin with or nearly spell a word
UNWIND $rows AS row
CALL (row) {
  MATCH (c:Concept {memory: $memory})
  WHERE c.kind IN row.kinds AND c.label_key = row.key
  RETURN collect({id: c.id, label: c.label, kind: c.kind}) AS exact
}
CALL (row, exact) {
  WITH row, exact WHERE size(exact) = 0 AND row.vector IS NOT NULL
    // The server's vector search fails where the filter matches nothing at all.
    AND EXISTS { MATCH (any:Concept) WHERE any.memory = $memory AND any.kind = 'concept' }
  MATCH (c:Concept)
    SEARCH c IN (VECTOR INDEX concept_embedding FOR row.vector WHERE c.memory = $memory AND c.kind = 'concept' LIMIT 20)
    SCORE AS score
  WITH c, score ORDER BY score DESC, c.id LIMIT $most
  RETURN collect({id: c.id, label: c.label, kind: c.kind, score: 2 * score - 1}) AS similar
}
CALL (row, exact) {
  WITH row, exact WHERE size(exact) = 0 AND row.words IS NOT NULL
  CALL db.index.fulltext.queryNodes('concept_text', row.words, {limit: 50}) YIELD node AS c, score
  WHERE c.memory = $memory AND c.kind IN row.kinds
  WITH c, score ORDER BY score DESC, c.id LIMIT $most
  RETURN collect({id: c.id, label: c.label, kind: c.kind, aliases: c.aliases}) AS lexical
}
RETURN row.i AS i, exact, similar, lexical
