// What entries of a memory contract stand on. An entry is found by its id, by its place in the memory's chain, and by
// its key or author in the chain's order; two entries never have one place.
CREATE CONSTRAINT entry_id IF NOT EXISTS FOR (e:Entry) REQUIRE (e.memory, e.id) IS UNIQUE;
CREATE CONSTRAINT entry_seq IF NOT EXISTS FOR (e:Entry) REQUIRE (e.memory, e.seq) IS UNIQUE;
CREATE INDEX entry_key IF NOT EXISTS FOR (e:Entry) ON (e.memory, e.field_key, e.seq);
CREATE INDEX entry_author IF NOT EXISTS FOR (e:Entry) ON (e.memory, e.ia_author, e.seq);
// The node whose lock serialises the writers of one key.
CREATE CONSTRAINT entry_key_name IF NOT EXISTS FOR (k:EntryKey) REQUIRE (k.memory, k.key) IS UNIQUE;
CREATE CONSTRAINT contract_number IF NOT EXISTS FOR (c:Contract) REQUIRE (c.memory, c.number) IS UNIQUE;
CREATE CONSTRAINT author_number IF NOT EXISTS FOR (a:Author) REQUIRE (a.memory, a.ia_author, a.number) IS UNIQUE;
CREATE CONSTRAINT receipt_key IF NOT EXISTS FOR (r:Receipt) REQUIRE (r.memory, r.ia_author, r.idempotency_key) IS UNIQUE;
CREATE CONSTRAINT checkpoint_number IF NOT EXISTS FOR (c:Checkpoint) REQUIRE (c.memory, c.number) IS UNIQUE;
CREATE CONSTRAINT digest_id IF NOT EXISTS FOR (d:Digest) REQUIRE (d.memory, d.id) IS UNIQUE;
