// End a forgetting: what is left of it is the audit line. $id
MATCH (f:Forgetting)
WHERE f.memory = $memory AND f.id = $id
SET f.state = 'done'
RETURN f.id AS id
