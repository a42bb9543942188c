// Vectors are compared as they are. With the default quantization a search whose filter matches fewer nodes than its LIMIT
// fails where the last segment of the index has deletions ("Index 33554431 out of bounds"; decision 1802).
// {{dimensions}}: see V0002.
DROP INDEX concept_embedding IF EXISTS;
CREATE VECTOR INDEX concept_embedding IF NOT EXISTS FOR (c:Concept) ON (c.embedding) WITH [c.memory, c.kind]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10, `vector.quantization.enabled`: false}};
DROP INDEX record_embedding IF EXISTS;
CREATE VECTOR INDEX record_embedding IF NOT EXISTS FOR (r:Record) ON (r.embedding) WITH [r.memory]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10, `vector.quantization.enabled`: false}};
DROP INDEX note_embedding IF EXISTS;
CREATE VECTOR INDEX note_embedding IF NOT EXISTS FOR (n:Note) ON (n.embedding) WITH [n.shelf]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10, `vector.quantization.enabled`: false}};
DROP INDEX note_foreign_embedding IF EXISTS;
CREATE VECTOR INDEX note_foreign_embedding IF NOT EXISTS FOR (n:Note) ON (n.foreign_embedding) WITH [n.shelf]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10, `vector.quantization.enabled`: false}};
