"""Exact values beside a memory's turns, which frameworks keep under a namespace and a key (`kept`)."""
