// The records of a day or a month, for questions that name one.
CREATE INDEX record_at IF NOT EXISTS FOR (r:Record) ON (r.memory, r.at);
