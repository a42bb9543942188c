// Search: vectors filtered by memory inside the index, and folded full text.
// {{dimensions}} is the embedding model's dimension, pinned when the schema is first applied.
// `memory_key` is a hash of the memory's name: an analysed name would also match its parts.
CREATE VECTOR INDEX concept_embedding IF NOT EXISTS FOR (c:Concept) ON (c.embedding) WITH [c.memory, c.kind]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10}};
CREATE VECTOR INDEX record_embedding IF NOT EXISTS FOR (r:Record) ON (r.embedding) WITH [r.memory]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10}};
CREATE FULLTEXT INDEX concept_text IF NOT EXISTS FOR (c:Concept) ON EACH [c.label_text, c.memory_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}};
CREATE FULLTEXT INDEX record_text IF NOT EXISTS FOR (r:Record) ON EACH [r.text, r.memory_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}};
