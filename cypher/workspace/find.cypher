// Candidates of a search in one round trip. One row, none if nothing is found: `shelf`, `model`, `fell` as the workspace
// has them now, so that a caller who supposed others asks again; `found`: [{id, score, side, …}], of each side the best
// first. side: near (score: cosine), words or triggers (score: BM25).
// $shelf: which index; $sources; $most: of a side; $vector: null for none; $foreign: whether it is of another model than
// the memory's; $words, $triggers: Lucene queries, '' for none.
// `few`: notes where there are fewer than a search wants: they are compared one by one, since the server's vector search
// can fail where the filter matches less than its LIMIT.
MATCH (w:Workspace {memory: $memory})
CALL () {
  CALL () {
    WITH 1 AS one WHERE $vector IS NOT NULL
    MATCH (n:Note)
    USING INDEX SEEK n:Note(memory, shelf, path)
    WHERE n.memory = $memory AND n.shelf = $shelf AND n.path > ''
      AND (($foreign AND n.foreign_embedding IS NOT NULL) OR (NOT $foreign AND n.embedding IS NOT NULL))
    WITH n LIMIT $most
    RETURN collect(n) AS few
  }
  CALL (few) {
    WITH few WHERE size(few) < $most
    UNWIND few AS n
    RETURN n, vector.similarity.cosine(CASE WHEN $foreign THEN n.foreign_embedding ELSE n.embedding END, $vector) AS score
    UNION ALL
    WITH few WHERE size(few) = $most AND NOT $foreign
    MATCH (n:Note)
      SEARCH n IN (VECTOR INDEX note_embedding FOR $vector WHERE n.shelf = $shelf LIMIT $most)
      SCORE AS score
    RETURN n, score
    UNION ALL
    WITH few WHERE size(few) = $most AND $foreign
    MATCH (n:Note)
      SEARCH n IN (VECTOR INDEX note_foreign_embedding FOR $vector WHERE n.shelf = $shelf LIMIT $most)
      SCORE AS score
    RETURN n, score
  }
  RETURN n, 2 * score - 1 AS score, 'near' AS side
  UNION ALL
  UNWIND [one IN [['words', $words], ['triggers', $triggers]] WHERE one[1] <> ''] AS asked
  CALL (asked) {
    CALL db.index.fulltext.queryNodes('note_text', asked[1], {limit: $most}) YIELD node AS n, score
    RETURN n, score
  }
  RETURN n, score, asked[0] AS side
}
WITH w, n, score, side WHERE n.memory = $memory AND n.shelf = $shelf AND n.source IN $sources
WITH w, n, score, side, n.id AS id ORDER BY side, score DESC, id
RETURN w.shelf AS shelf, w.model AS model, w.fell AS fell,
       collect({
         id: id, score: score, side: side, path: n.path, start: n.start, end: n.end, source: n.source,
         modified: n.modified, importance: n.importance, triggers: n.triggers, provenance: n.provenance, text: n.text
       }) AS found
