// The facts of a day or a month, for questions about what happened or is planned then.
CREATE INDEX association_when IF NOT EXISTS FOR ()-[a:ASSOCIATED]-() ON (a.memory, a.when);
