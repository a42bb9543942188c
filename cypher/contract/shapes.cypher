// The combinations of author, type, key and kind among a memory's entries that are neither generated nor erased, with
// the number of entries and the id of the latest one.
MATCH (e:Entry)
USING INDEX SEEK e:Entry(memory, seq)
WHERE e.memory = $memory AND e.seq > 0 AND NOT e.generated AND e.erased_at IS NULL
WITH e ORDER BY e.seq DESC
WITH e.ia_author AS ia_author, e.entry_type AS entry_type, e.field_key AS field_key, e.claim AS kind,
     count(*) AS count, head(collect(e.id)) AS latest
RETURN ia_author, entry_type, field_key, kind, count, latest
ORDER BY field_key, ia_author, entry_type, kind
