// Put the next contract of a memory in force, the memory being locked by `contract/head`. $contract: its properties;
// $chain, $authority: of the memory, set when it has none yet.
MATCH (m:Memory {name: $memory})
SET m.contract = $contract.number, m.chain = coalesce(m.chain, $chain), m.authority = coalesce(m.authority, $authority),
    m.entries = coalesce(m.entries, 0), m.entry_hash = coalesce(m.entry_hash, $genesis)
CREATE (c:Contract)
SET c = $contract, c.published_at = datetime()
RETURN c.number AS number
