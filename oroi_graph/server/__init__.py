"""The managed local Neo4j: fetched, checked, configured, started, found again and stopped by this package.

`managed.ManagedServer` is the door. A first start goes through `fetch`, which brings the server's files (and, for
`connection`, those of embedding models): `artifacts` pins them, `downloads` fetches them over HTTPS with the
certificates of `trust`, `checksums` verifies them. Then `home` makes the folder with data, password and configuration,
`memory_check` refuses sizes that the machine lacks, and `process` starts the server, which it finds again and ends
later. `quick_start` records what makes later starts quick. `admin` runs Neo4j's own administration, `dumps` makes dumps
and moves the data to another version.
"""
