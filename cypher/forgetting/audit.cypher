// The audit line of something forgotten in one transaction: numbers, never content. Repeated, it stays one line.
// $id; $audit: numbers, who asked; $gone: hashes of the record ids.
MERGE (f:Forgetting {memory: $memory, id: $id})
ON CREATE SET f += $audit, f.gone = $gone, f.at = datetime(), f.state = 'done'
RETURN f.id AS id
