// Which turns of an import a memory holds already, in one read; no row if there is no such memory.
// $rows: [[record id, text]]; `known` is [[record id, turn number, whether its text is the same]].
MATCH (m:Memory {name: $memory})
CALL () {
  UNWIND $rows AS row
  MATCH (r:Record {memory: $memory, id: row[0]})
  RETURN collect([r.id, r.turn, r.text = row[1]]) AS known
}
RETURN m.open_turn AS open_turn, known
