// Delete what `fill_disk` has written.
MATCH (f:Filler)
WITH f LIMIT $rows
DELETE f
RETURN count(*) AS deleted
