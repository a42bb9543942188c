// Sizes of one memory, on the recall path and apart from it; no row if there is none.
// `characters` are those that recall reads; `verbatim` those kept behind gists and of what rests.
MATCH (m:Memory {name: $memory})
CALL () {
  MATCH (c:Concept) WHERE c.memory = $memory
  RETURN count(c) AS concepts, count(CASE WHEN c.activation > 0 THEN 1 END) AS lit
}
CALL () {
  MATCH (c:Concept)-[a:ASSOCIATED]->() WHERE c.memory = $memory
  RETURN count(a) AS associations, count(a.superseded_turn) AS superseded
}
CALL () {
  MATCH (c:Concept)-[p:COINCIDED]->() WHERE c.memory = $memory
  RETURN count(p) AS coincidences
}
CALL () {
  MATCH (c:Merged) WHERE c.memory = $memory
  RETURN count(c) AS merged
}
CALL () {
  MATCH (r:Record) WHERE r.memory = $memory
  RETURN count(CASE WHEN r.role = 'user' THEN 1 END) AS episodes, count(CASE WHEN r.role = 'assistant' THEN 1 END) AS replies,
         count(CASE WHEN r.extraction = 'failed' THEN 1 END) AS failed, coalesce(sum(size(r.text)), 0) AS characters,
         count(CASE WHEN r.resting THEN 1 END) AS resting, coalesce(sum(size(r.verbatim)), 0) AS verbatim,
         count(CASE WHEN r.verbatim IS NOT NULL AND r.resting IS NULL THEN 1 END) AS gists,
         count(CASE WHEN r.role = 'entry' AND r.text IS NOT NULL THEN 1 END) AS entries,
         count(CASE WHEN r.role = 'note' THEN 1 END) AS notes, collect(r.redacted) AS redacted
}
CALL () {
  OPTIONAL MATCH (s:Sleep) WHERE s.memory = $memory
  RETURN s {.turn, .state, at: toString(coalesce(s.finished_at, s.started_at))} AS slept ORDER BY s.turn DESC LIMIT 1
}
RETURN m.turn AS turns, concepts, lit, associations, associations - superseded AS current, superseded, coincidences,
       episodes, replies, entries, notes, episodes + replies + entries + notes - resting AS recallable, gists, resting, failed, characters, redacted,
       verbatim AS verbatim_characters, merged, slept.turn AS slept_turn, slept.at AS slept_at, slept.state AS slept_state,
       coalesce(m.model_calls, 0) AS model_calls, coalesce(m.model_input_tokens, 0) AS model_input_tokens,
       coalesce(m.model_output_tokens, 0) AS model_output_tokens, coalesce(m.model_cost, 0.0) AS model_cost
