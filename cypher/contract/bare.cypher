// Entries that wait for a vector, at most $page of them; those that were erased meanwhile have no text.
MATCH (m:Memory {name: $memory})
UNWIND coalesce(m.bare, [])[..$page] AS id
OPTIONAL MATCH (e:Entry {memory: $memory, id: id})
RETURN id, e.field_key AS field_key, e.ia_author AS ia_author, CASE WHEN e.erased_at IS NULL THEN e.text END AS text
