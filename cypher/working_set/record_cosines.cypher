// The cosines of some records with a vector, without those that are gone: [id, cosine]. $ids: records
UNWIND $ids AS id
MATCH (r:Record {memory: $memory, id: id})
USING INDEX SEEK r:Record(memory, id)
RETURN collect([r.id, 2 * vector.similarity.cosine(r.embedding, $vector) - 1]) AS near
