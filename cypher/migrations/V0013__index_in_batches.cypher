// A commit that touches a vector or a full-text index costs several times one that does not, whatever it holds. So what
// is written is first `Unindexed`, and joins these indexes with many others, by the label that they are made for
// (storage/index_new; decision 1921).
// {{dimensions}}: see V0002.
CREATE INDEX unindexed IF NOT EXISTS FOR (n:Unindexed) ON (n.memory);
MATCH (c:Concept) WHERE NOT c:IndexedConcept AND NOT c:Unindexed CALL (c) { SET c:IndexedConcept } IN TRANSACTIONS OF 1000 ROWS;
MATCH (r:Record) WHERE NOT r:IndexedRecord AND NOT r:Unindexed CALL (r) { SET r:IndexedRecord } IN TRANSACTIONS OF 1000 ROWS;
DROP INDEX concept_embedding IF EXISTS;
CREATE VECTOR INDEX concept_embedding IF NOT EXISTS FOR (c:IndexedConcept) ON (c.embedding) WITH [c.memory, c.kind]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10, `vector.quantization.enabled`: false}};
DROP INDEX record_embedding IF EXISTS;
CREATE VECTOR INDEX record_embedding IF NOT EXISTS FOR (r:IndexedRecord) ON (r.embedding) WITH [r.memory]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10, `vector.quantization.enabled`: false}};
DROP INDEX concept_text IF EXISTS;
CREATE FULLTEXT INDEX concept_text IF NOT EXISTS FOR (c:IndexedConcept) ON EACH [c.label_text, c.memory_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding', `fulltext.eventually_consistent`: true}};
DROP INDEX record_text IF EXISTS;
CREATE FULLTEXT INDEX record_text IF NOT EXISTS FOR (r:IndexedRecord) ON EACH [r.text, r.memory_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding', `fulltext.eventually_consistent`: true}};
