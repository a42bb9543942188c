"""The way of an entry into a memory: checked, embedded, compared with its key's current entries, and appended."""
