// Lock the schema's node for as long as the transaction stays open: one process migrates at a time.
MERGE (s:Schema {name: 'oroi-graph'})
SET s.lock = $by
RETURN s.name AS name
