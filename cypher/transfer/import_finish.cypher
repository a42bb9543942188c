// The end of an import: the memory takes its own properties, its embedding model among them, and can be opened.
// No row if the import is no longer ours.
MATCH (m:Memory {name: $memory, importing: $token})
SET m = $properties, m.memory_key = $memory_key
RETURN m.name AS name
