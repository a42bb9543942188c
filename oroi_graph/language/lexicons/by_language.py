"""The lexicon of each language, and word classes that are asked for without one."""

from __future__ import annotations

from oroi_graph.language.lexicons.lexicon import read_lexicon
from oroi_graph.language.lexicons.tables import LANGUAGES, tables, words

LEXICONS = {language: read_lexicon(language) for language in LANGUAGES}

# gerunds that name an activity people talk about; those of other verbs are only grammar
ACTIVITIES = words(tables("en"), "activities")
# what ends a label's claim to be a noun: adjectives by their ending
ADJECTIVE_ENDINGS = tuple(words(tables("en"), "adjective_endings"))
NOUN_ENDINGS = tuple(words(tables("en"), "noun_endings"))
# verbs whose subject is what is felt, and whose object who feels it ("me gusta el café"); "gostar" is none
EXPERIENCE = frozenset().union(*(lexicon.experience for lexicon in LEXICONS.values()))
