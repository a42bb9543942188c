// The cosines of some concepts with a vector, without those that are gone: [id, cosine]. $ids: concepts
UNWIND $ids AS id
MATCH (c:Concept {memory: $memory, id: id})
USING INDEX SEEK c:Concept(memory, id)
RETURN collect([c.id, 2 * vector.similarity.cosine(c.embedding, $vector) - 1]) AS near
