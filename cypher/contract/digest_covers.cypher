// What some summaries cover. $ids: of summaries; $centroids: whether theirs are wanted. Rows of id, covers (ids of entries) and centroid (of a topic).
UNWIND $ids AS id
MATCH (d:Digest {memory: $memory, id: id})
RETURN d.id AS id, d.covers AS covers, d.level AS level, d.name AS name, d.source AS source,
       CASE WHEN d.centroid IS NULL OR NOT $centroids THEN null ELSE vector(d.centroid, $dimensions, FLOAT32) END AS centroid
