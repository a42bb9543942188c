// The forgettings of a memory that were begun and not finished, oldest first.
MATCH (f:Forgetting)
WHERE f.memory = $memory AND f.state = 'running'
RETURN f.id AS id
ORDER BY f.at, f.id
