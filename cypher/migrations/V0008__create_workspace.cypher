// What Markdown notes of a workspace stand on. A note is a chunk of a file; `shelf` is the index that it belongs to: while
// another one is built, the old one answers. {{dimensions}}: see V0002.
CREATE CONSTRAINT note_id IF NOT EXISTS FOR (n:Note) REQUIRE (n.memory, n.id) IS UNIQUE;
CREATE INDEX note_path IF NOT EXISTS FOR (n:Note) ON (n.memory, n.shelf, n.path);
CREATE INDEX note_text_key IF NOT EXISTS FOR (n:Note) ON (n.memory, n.text_key);
// Notes whose concepts are not looked up yet.
CREATE INDEX note_unlinked IF NOT EXISTS FOR (n:Note) ON (n.memory, n.unlinked);
CREATE CONSTRAINT note_file IF NOT EXISTS FOR (f:NoteFile) REQUIRE (f.memory, f.shelf, f.path) IS UNIQUE;
CREATE CONSTRAINT workspace_memory IF NOT EXISTS FOR (w:Workspace) REQUIRE w.memory IS UNIQUE;
// Vectors of texts that no note holds any more, the least recently used first.
CREATE CONSTRAINT note_vector IF NOT EXISTS FOR (v:NoteVector) REQUIRE (v.memory, v.text_key) IS UNIQUE;
CREATE INDEX note_vector_used IF NOT EXISTS FOR (v:NoteVector) ON (v.memory, v.used);
CREATE VECTOR INDEX note_embedding IF NOT EXISTS FOR (n:Note) ON (n.embedding) WITH [n.shelf]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine', `vector.default_search_expansion_factor`: 10}};
CREATE FULLTEXT INDEX note_text IF NOT EXISTS FOR (n:Note) ON EACH [n.text, n.triggers, n.shelf]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}};
