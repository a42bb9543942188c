// What makes one memory's things unique, and the range indexes every seek stands on.
// The composite uniqueness index cannot be sought by `memory` alone: hence the single-property indexes.
CREATE CONSTRAINT memory_name IF NOT EXISTS FOR (m:Memory) REQUIRE m.name IS UNIQUE;
CREATE CONSTRAINT concept_id IF NOT EXISTS FOR (c:Concept) REQUIRE (c.memory, c.id) IS UNIQUE;
CREATE CONSTRAINT concept_label_key IF NOT EXISTS FOR (c:Concept) REQUIRE (c.memory, c.kind, c.label_key) IS UNIQUE;
CREATE CONSTRAINT record_id IF NOT EXISTS FOR (r:Record) REQUIRE (r.memory, r.id) IS UNIQUE;
CREATE INDEX concept_memory IF NOT EXISTS FOR (c:Concept) ON (c.memory);
CREATE INDEX concept_activation IF NOT EXISTS FOR (c:Concept) ON (c.memory, c.activation);
CREATE INDEX record_memory IF NOT EXISTS FOR (r:Record) ON (r.memory);
CREATE INDEX record_turn IF NOT EXISTS FOR (r:Record) ON (r.memory, r.turn);
CREATE INDEX association_id IF NOT EXISTS FOR ()-[a:ASSOCIATED]-() ON (a.id);
// A slot is (source, relation class): what a correction looks for, in one seek however many facts the source has.
CREATE INDEX association_slot IF NOT EXISTS FOR ()-[a:ASSOCIATED]-() ON (a.slot);
