// Which parts a memory has that are deleted by statements of their own (storage/delete_…): a deletion sends only these.
// `hubs`: whether a concept has so many relationships that they must go before it.
RETURN EXISTS { MATCH (c:Concept) WHERE c.memory = $memory AND COUNT { (c)--() } > 100 } AS hubs,
       EXISTS { MATCH (c:Concept) WHERE c.memory = $memory } AS concepts,
       EXISTS { MATCH (c:Merged) WHERE c.memory = $memory } AS absorbed_concepts,
       EXISTS { MATCH (r:Record) WHERE r.memory = $memory } AS records,
       EXISTS { MATCH (n:Entry) WHERE n.memory = $memory AND n.id > '' }
         OR EXISTS { MATCH (n:EntryKey) WHERE n.memory = $memory AND n.key > '' }
         OR EXISTS { MATCH (n:Contract) WHERE n.memory = $memory AND n.number > 0 }
         OR EXISTS { MATCH (n:Author) WHERE n.memory = $memory AND n.ia_author > '' AND n.number > 0 }
         OR EXISTS { MATCH (n:Receipt) WHERE n.memory = $memory AND n.ia_author > '' AND n.idempotency_key > '' }
         OR EXISTS { MATCH (n:Checkpoint) WHERE n.memory = $memory AND n.number > 0 }
         OR EXISTS { MATCH (n:Digest) WHERE n.memory = $memory AND n.id > '' } AS contract,
       EXISTS { MATCH (n:Note) WHERE n.memory = $memory AND n.id > '' }
         OR EXISTS { MATCH (n:NoteFile) WHERE n.memory = $memory AND n.shelf > '' AND n.path > '' }
         OR EXISTS { MATCH (n:NoteVector) WHERE n.memory = $memory AND n.text_key > '' }
         OR EXISTS { MATCH (n:Workspace {memory: $memory}) } AS workspace,
       EXISTS { MATCH (i:Item) WHERE i.memory = $memory AND i.id > '' } AS items,
       EXISTS { MATCH (n:Sleep) WHERE n.memory = $memory }
         OR EXISTS { MATCH (n:Forgetting) WHERE n.memory = $memory } AS journal
