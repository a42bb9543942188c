// A memory's own properties, the turn that it heard last, and how much of everything follows; no row if there is none.
MATCH (m:Memory {name: $memory})
OPTIONAL MATCH (reply:Record {memory: $memory, id: m.last_reply})
RETURN properties(m) AS properties,
       CASE WHEN reply IS NULL THEN null ELSE [reply.turn_id, reply.role] END AS last_reply,
       COUNT { MATCH (c:Concept) WHERE c.memory = $memory } AS concepts,
       COUNT { MATCH (c:Merged) WHERE c.memory = $memory } AS absorbed_concepts,
       COUNT { MATCH (r:Record) WHERE r.memory = $memory AND NOT r.role IN ['entry', 'note'] } AS records,
       COUNT { MATCH (c:Concept)-[:ASSOCIATED]->() WHERE c.memory = $memory } AS associations,
       COUNT { MATCH (r:Record)-[:MENTIONS]->() WHERE r.memory = $memory AND r.role <> 'note' } AS mentions,
       COUNT { MATCH (c:Concept)-[:COINCIDED]->() WHERE c.memory = $memory } AS coincidences,
       COUNT { MATCH (c:Merged)-[:MERGED_INTO]->() WHERE c.memory = $memory } AS merges,
       COUNT { MATCH (c:Concept|Merged)-[:WAS_ASSOCIATED]->() WHERE c.memory = $memory } AS former_associations,
       COUNT { MATCH (c:Merged)<-[:WAS_MENTIONED]-(r) WHERE c.memory = $memory AND r.role <> 'note' } AS former_mentions,
       COUNT { MATCH (c:Concept|Merged)-[:WAS_COINCIDED]->() WHERE c.memory = $memory } AS former_coincidences,
       COUNT { MATCH (c:Concept|Merged)-[:COMPARED]->() WHERE c.memory = $memory } AS comparisons,
       COUNT { MATCH (k:Contract) WHERE k.memory = $memory AND k.number > 0 } AS contracts,
       COUNT { MATCH (a:Author) WHERE a.memory = $memory AND a.ia_author > '' AND a.number > 0 } AS authors,
       COUNT { MATCH (e:Entry) WHERE e.memory = $memory AND e.seq > 0 } AS entries,
       COUNT { MATCH (t:Receipt) WHERE t.memory = $memory AND t.ia_author > '' AND t.idempotency_key > '' } AS receipts,
       COUNT { MATCH (k:Checkpoint) WHERE k.memory = $memory AND k.number > 0 } AS checkpoints,
       COUNT { MATCH (s:Sleep) WHERE s.memory = $memory } AS sleeps,
       COUNT { MATCH (f:Forgetting) WHERE f.memory = $memory } AS forgettings,
       COUNT { MATCH (i:Item) WHERE i.memory = $memory AND i.id > '' } AS items
