// The words of some records, packed for late interaction: [id, words], without those that are gone. $records: ids
UNWIND $records AS id
MATCH (r:Record {memory: $memory, id: id})
USING INDEX SEEK r:Record(memory, id)
RETURN collect([r.id, r.words]) AS held
