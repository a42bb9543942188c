"""Chunking: from the tokens of a sentence to its noun phrases, verb groups and small words.

`chunker` reads each sentence from left to right and asks one module a phrase type: `noun_phrases`, whose names come
from `labels`, `english_verbs`, or `romance_verbs` for Spanish and Portuguese; small words it reads itself. `chunk` has
what they share: the `Chunk`, and the `Cursor` that moves over the tokens. It works by rules (closed word classes, verb
tables, capital letters), in time linear in the text.
"""

from oroi_graph.extraction.chunking.chunk import Chunk
from oroi_graph.extraction.chunking.chunker import Sentence, chunked_sentences

__all__ = ["Chunk", "Sentence", "chunked_sentences"]
