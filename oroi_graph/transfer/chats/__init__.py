"""Conversations that other programs wrote: exports of chat services, messengers and other memories, read into turns.

`documents` opens a file, a ZIP archive or standard input; `recognition` finds out by content what it is. The other
modules read one format each; `drafts` collects what they read.
"""
