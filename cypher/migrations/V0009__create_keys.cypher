// Keys of the interfaces. A key is found by its public id; the secret itself is kept nowhere, only its hash. Which
// memories it opens is said by relationships, so a memory that is deleted takes its keys' access along.
CREATE CONSTRAINT key_id IF NOT EXISTS FOR (k:Key) REQUIRE k.id IS UNIQUE;
