// What time it is by the database's clock, which all workers share.
RETURN datetime() AS now
