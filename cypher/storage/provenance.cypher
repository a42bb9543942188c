// Who said some records, in which role and turn. $ids: records; those that are gone give no row.
UNWIND $ids AS id
MATCH (r:Record {memory: $memory, id: id})
USING INDEX SEEK r:Record(memory, id)
RETURN r.id AS record, r.turn_id AS turn_id, r.turn AS turn, r.role AS role, r.speaker AS speaker, r.at AS at
ORDER BY turn, role DESC
