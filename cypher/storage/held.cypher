// How much a memory has of each part that is deleted by a statement of its own (storage/delete_…), counted by indexes:
// a deletion sends only what is needed, and the same counts prove afterwards that nothing is left. A memory among
// millions must not have all of them read. `hubs`: concepts with so many relationships that these must go first.
RETURN COUNT { MATCH (c:Concept) WHERE c.memory = $memory AND COUNT { (c)--() } > 100 } AS hubs,
       COUNT { MATCH (c:Concept) WHERE c.memory = $memory } AS concepts,
       COUNT { MATCH (c:Merged) WHERE c.memory = $memory } AS absorbed_concepts,
       COUNT { MATCH (r:Record) WHERE r.memory = $memory } AS records,
       COUNT { MATCH (n:Entry) WHERE n.memory = $memory AND n.id > '' }
         + COUNT { MATCH (n:EntryKey) WHERE n.memory = $memory AND n.key > '' }
         + COUNT { MATCH (n:Contract) WHERE n.memory = $memory AND n.number > 0 }
         + COUNT { MATCH (n:Author) WHERE n.memory = $memory AND n.ia_author > '' AND n.number > 0 }
         + COUNT { MATCH (n:Receipt) WHERE n.memory = $memory AND n.ia_author > '' AND n.idempotency_key > '' }
         + COUNT { MATCH (n:Checkpoint) WHERE n.memory = $memory AND n.number > 0 }
         + COUNT { MATCH (n:Digest) WHERE n.memory = $memory AND n.id > '' } AS contract,
       COUNT { MATCH (n:Note) WHERE n.memory = $memory AND n.id > '' }
         + COUNT { MATCH (n:NoteFile) WHERE n.memory = $memory AND n.shelf > '' AND n.path > '' }
         + COUNT { MATCH (n:NoteVector) WHERE n.memory = $memory AND n.text_key > '' }
         + COUNT { MATCH (n:Workspace {memory: $memory}) } AS workspace,
       COUNT { MATCH (i:Item) WHERE i.memory = $memory AND i.id > '' } AS items,
       COUNT { MATCH (n:Sleep) WHERE n.memory = $memory }
         + COUNT { MATCH (n:Forgetting) WHERE n.memory = $memory } AS journal,
       COUNT { MATCH (m:Memory {name: $memory}) } AS itself
