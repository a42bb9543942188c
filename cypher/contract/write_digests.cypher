// Replace summaries: $gone: ids of those that go; $digests: [{properties, centroid | null}]; $upto, $erasures: how far they
// reach. The memory is locked by `storage/hold`. No row if something was erased since the summaries were begun.
MATCH (m:Memory {name: $memory})
WHERE coalesce(m.erasures, 0) = $erasures
SET m.digested = $upto, m.digested_erasures = $erasures
WITH m
CALL () {
  UNWIND $gone AS id
  MATCH (d:Digest {memory: $memory, id: id})
  DELETE d
  RETURN count(*) AS gone
}
CALL () {
  UNWIND $digests AS row
  CREATE (d:Digest)
  SET d = row.properties, d.centroid = toFloatList(row.centroid), d.made_at = datetime()
  RETURN count(d) AS made
}
RETURN gone, made
