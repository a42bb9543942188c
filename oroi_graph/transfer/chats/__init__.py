"""Conversations that other programs wrote: exports of chat services, messengers and other memories, read into turns.

`documents` opens a file, a ZIP archive or standard input; `recognition` finds out by content what it is. Then one
module reads the format: `chatgpt`, `claude`, `whatsapp`, `markdown` (text with speakers), `messages` (as chat models
take them), `mem0`, `graphiti`. `drafts` collects the turns that they read.
"""
