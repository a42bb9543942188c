// A copy of a memory has the ids of the original, so an association is found by its memory and its id together: by its id
// alone, each look found one association in every copy.
CREATE INDEX association_memory_id IF NOT EXISTS FOR ()-[a:ASSOCIATED]-() ON (a.memory, a.id);
CREATE INDEX association_memory_superseded_by IF NOT EXISTS FOR ()-[a:ASSOCIATED]-() ON (a.memory, a.superseded_by);
CREATE INDEX merge_memory_id IF NOT EXISTS FOR ()-[m:MERGED_INTO]-() ON (m.memory, m.id);
DROP INDEX association_id IF EXISTS;
DROP INDEX association_superseded_by IF EXISTS;
DROP INDEX merge_id IF EXISTS;
