// End the latest enrolment of an author, whose writes are refused from now on. No row if there is none in force.
MATCH (a:Author {memory: $memory, ia_author: $author})
USING INDEX SEEK a:Author(memory, ia_author, number)
WHERE a.number > 0
WITH a ORDER BY a.number DESC LIMIT 1
WHERE a.revoked_at IS NULL
SET a.revoked_at = datetime()
RETURN a.number AS number
