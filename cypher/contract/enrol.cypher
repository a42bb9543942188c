// Enrol an author of a memory that is locked: this is the next enrolment of that name. $author: its properties.
OPTIONAL MATCH (a:Author {memory: $memory, ia_author: $author.ia_author})
USING INDEX SEEK a:Author(memory, ia_author, number)
WHERE a.number > 0
WITH coalesce(max(a.number), 0) + 1 AS number
CREATE (n:Author)
SET n = $author, n.memory = $memory, n.number = number, n.added_at = datetime()
RETURN n.number AS number
