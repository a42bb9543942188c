"""Forgetting on request: what is named, what would be deleted with it, and deletion with proof.

Single facts and whole turns are taken back here, too.
"""
