// The contract of a memory that is in force; its columns are null before one was published. No row without the memory.
MATCH (m:Memory {name: $memory})
OPTIONAL MATCH (c:Contract {memory: $memory, number: m.contract})
RETURN c.number AS number, c.document AS document, m.chain AS chain, coalesce(m.entries, 0) AS entries
