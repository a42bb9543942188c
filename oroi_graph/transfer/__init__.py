"""Memories in and out: archives, conversation files, bulk import, and moving to another embedding model."""
