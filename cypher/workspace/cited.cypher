// What results say of some notes, and the vectors of their passages. $ids; a note that is gone has no row. vector: of the
// whole note, if it has no passages.
UNWIND $ids AS id
MATCH (n:Note {memory: $memory, id: id})
RETURN n.id AS id, n.path AS path, n.start AS start, n.end AS end, n.text AS text, n.source AS source,
       n.modified AS modified, n.importance AS importance, n.triggers AS triggers, n.provenance AS provenance,
       n.passages AS passages, CASE WHEN n.passages IS NULL THEN n.embedding END AS vector
