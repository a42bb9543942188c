// What has been applied to this database. One row; `applied` is [{version, name, checksum}].
OPTIONAL MATCH (m:Migration)
WITH m ORDER BY m.version
RETURN max(m.dimensions) AS dimensions,
       [x IN collect(m) | {version: x.version, name: x.name, checksum: x.checksum}] AS applied
