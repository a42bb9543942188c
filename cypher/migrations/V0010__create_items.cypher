// Items that adapters of agent frameworks keep beside a memory's turns: exact values under a namespace and a key.
// id: made of both. path: the namespace, written so that those below another one begin as it does.
CREATE CONSTRAINT item_id IF NOT EXISTS FOR (i:Item) REQUIRE (i.memory, i.id) IS UNIQUE;
CREATE INDEX item_path IF NOT EXISTS FOR (i:Item) ON (i.memory, i.path);
