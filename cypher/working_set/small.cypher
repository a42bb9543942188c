// Where a memory stands, and the whole of it if it is small: if it has fewer than $large concepts and records together, and
// their vectors take no more than $room bytes (0: any number); else `small` is false, and its tables are empty. Under the
// memory's lock, so that nothing is committed between one table and the next. No row if there is no such memory.
// $version, $stamp, $kept, $at: as working_set/lock has them. $after, $until, $page: as the other parts do, for one page.
CALL () {
  // As working_set/lock:
}
WITH {found: found, version: version, stamp: stamp, clock: clock, open_turn: open_turn, last_reply: last_reply,
      dimensions: dimensions, usable: usable, touched: touched, dim: dim} AS stands,
     COUNT { MATCH (c:Concept) WHERE c.memory = $memory WITH c LIMIT $large RETURN c }
     + COUNT { MATCH (r:Record) WHERE r.memory = $memory WITH r LIMIT $large RETURN r } AS size
WITH stands, size < $large AND ($room = 0 OR 4 * size * coalesce(stands.dimensions, 1) <= $room) AS small
CALL (small) {
  WITH small WHERE small
  // As working_set/concepts:
}
WITH stands, small, {ids: ids, labels: labels, keys: keys, kinds: kinds, aliases: aliases, mentions: mentions,
                     activation: activation, strength: strength, vectors: vectors} AS concept_rows
CALL (small) {
  WITH small WHERE small
  // As working_set/records:
}
WITH stands, small, concept_rows,
     {ids: ids, said: said, entries: entries, gists: gists, resting: resting, associations: associations,
      concepts: concepts, vectors: vectors} AS record_rows
CALL (small) {
  WITH small WHERE small
  // As working_set/associations:
}
RETURN stands, small, concept_rows, record_rows,
       {ids: ids, sources: sources, targets: targets, weights: weights, relations: relations, classes: classes,
        implied: implied, confidences: confidences, first_turns: first_turns, last_turns: last_turns,
        superseded: superseded, negated: negated, contested: contested, times: times, stated: stated,
        records: records} AS association_rows
