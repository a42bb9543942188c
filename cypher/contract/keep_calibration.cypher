// Keep the thresholds that were found for an embedding model, for all memories of the database. $calibration: its properties.
// Two processes that find them at once keep two, which are the same.
CREATE (c:Calibration)
SET c = $calibration, c.found_at = datetime()
RETURN c.model AS model
