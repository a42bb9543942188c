"""The managed local Neo4j: fetched, checked, configured, started, found again and stopped by this package.

The doors are `managed.ManagedServer`, which does all of that, and `fetch`, which fetches the embedding models
the same way. `artifacts` pins the program files and `checksums` verifies them; `home` is the folder with the
server's data, password and configuration; `process` finds and ends the process; `memory_check` refuses sizes that the
machine lacks; `quick_start` records what makes starts quick. `downloads` fetches over HTTPS, with the certificates of
`trust`; `admin` runs Neo4j's own administration, `dumps` makes dumps and moves the data to another version.
"""
