// The concepts that a person means by a name: its id, else its label, else an alias.
// $called: the name as given; $key: as keys are written
CALL () {
  MATCH (c:Concept {memory: $memory, id: $called})
  RETURN c, 0 AS place
  UNION
  MATCH (c:Concept)
  WHERE c.memory = $memory AND c.kind IN ['concept', 'name', 'value', 'self'] AND c.label_key = $key
  RETURN c, 1 AS place
  UNION
  MATCH (c:Concept)
  WHERE c.memory = $memory AND any(a IN c.aliases WHERE toLower(a) = $key)
  RETURN c, 2 AS place
}
WITH c, min(place) AS place
WITH collect({c: c, place: place}) AS found, min(place) AS best
UNWIND [f IN found WHERE f.place = best | f.c] AS c
RETURN c.id AS id, c.label AS label, c.kind AS kind
ORDER BY id
