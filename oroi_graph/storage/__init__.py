"""The database: one driver, statements by name, migrations, leases, and the catalog of memories.

Only this room owns a driver. Everything else sends named statements through the store.
"""
