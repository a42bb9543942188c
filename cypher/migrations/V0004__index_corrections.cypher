// What a correction replaced, found from what replaced it.
CREATE INDEX association_superseded_by IF NOT EXISTS FOR ()-[a:ASSOCIATED]-() ON (a.superseded_by);
