"""Chunking: from the tokens of a sentence to its noun phrases, verb groups and small words.

The chunker reads each sentence from left to right with a `Cursor` and asks one module a phrase type: noun phrases,
English verb groups, Spanish and Portuguese verb groups. It works by rules (closed word classes, verb tables,
capital letters), in time linear in the text.
"""

from oroi_graph.extraction.chunking.chunk import Chunk
from oroi_graph.extraction.chunking.chunker import Sentence, chunked_sentences

__all__ = ["Chunk", "Sentence", "chunked_sentences"]
