// Which turns of an import a memory holds already, in one read; no row if there is no such memory.
// $rows: [[record id, text, hash of the id]]; what was forgotten since is known, too, as turn 0. `known` is [[record id, turn number, whether its text is the same]].
MATCH (m:Memory {name: $memory})
CALL () {
  UNWIND $rows AS row
  MATCH (r:Record {memory: $memory, id: row[0]})
  RETURN collect([r.id, r.turn, coalesce(r.forgot, r.text = $note) OR coalesce(r.verbatim, r.text) = row[1]]) AS known
}
CALL () {
  MATCH (f:Forgetting)
  WHERE f.memory = $memory
  UNWIND f.gone AS hash
  WITH collect(DISTINCT hash) AS gone
  UNWIND $rows AS row
  WITH row WHERE row[2] IN gone
  RETURN collect([row[0], 0, true]) AS forgotten
}
RETURN m.open_turn AS open_turn, forgotten + known AS known
