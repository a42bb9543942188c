// The enrolments of a memory's authors, by name, the first one of each first. No row without the memory.
MATCH (m:Memory {name: $memory})
CALL () {
  MATCH (a:Author)
  USING INDEX SEEK a:Author(memory, ia_author, number)
  WHERE a.memory = $memory AND a.ia_author > '' AND a.number > 0
  WITH a ORDER BY a.ia_author, a.number
  RETURN collect(a {name: a.ia_author, .number, .public_key, added_at: toString(a.added_at),
                    revoked_at: toString(a.revoked_at)}) AS authors
}
RETURN authors
