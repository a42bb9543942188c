"""The managed local Neo4j: fetched, checked, configured, started, found again and stopped by this package."""
