// What sleep leaves in the graph: absorbed concepts (kept, so that a merge can be undone), run records, audit lines.
CREATE CONSTRAINT merged_id IF NOT EXISTS FOR (c:Merged) REQUIRE (c.memory, c.id) IS UNIQUE;
CREATE CONSTRAINT sleep_turn IF NOT EXISTS FOR (s:Sleep) REQUIRE (s.memory, s.turn) IS UNIQUE;
CREATE INDEX merged_memory IF NOT EXISTS FOR (c:Merged) ON (c.memory);
CREATE INDEX sleep_memory IF NOT EXISTS FOR (s:Sleep) ON (s.memory);
CREATE INDEX forgetting_memory IF NOT EXISTS FOR (f:Forgetting) ON (f.memory);
CREATE INDEX concept_first_turn IF NOT EXISTS FOR (c:Concept) ON (c.memory, c.first_turn);
CREATE INDEX merge_id IF NOT EXISTS FOR ()-[m:MERGED_INTO]-() ON (m.id);
// The gists of one memory, among its many records.
CREATE INDEX record_gist IF NOT EXISTS FOR (r:Record) ON (r.memory, r.gist_turn);
