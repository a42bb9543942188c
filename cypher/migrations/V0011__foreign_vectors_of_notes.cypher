// Vectors of notes that another model made than the memory's: searches of notes compare them, recall does not.
// {{dimensions}}: see V0002.
CREATE VECTOR INDEX note_foreign_embedding IF NOT EXISTS FOR (n:Note) ON (n.foreign_embedding) WITH [n.shelf]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10}};
