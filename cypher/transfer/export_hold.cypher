// Lock a memory for as long as the transaction stays open: what is exported is one state of it. No row if there is none.
// $by: who holds it, for people who look.
MATCH (m:Memory {name: $memory})
SET m.lock = $by
RETURN m.name AS name
