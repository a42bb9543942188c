"""The lexicon of each language, and word classes that need no language."""

from __future__ import annotations

from oroi_graph.language.lexicons.english import ENGLISH
from oroi_graph.language.lexicons.portuguese import PORTUGUESE
from oroi_graph.language.lexicons.spanish import SPANISH
from oroi_graph.language.tokens import word_set

LEXICONS = {lexicon.language: lexicon for lexicon in (ENGLISH, SPANISH, PORTUGUESE)}

# gerunds that name an activity people talk about; those of other verbs are only grammar
ACTIVITIES = word_set(
    "acting baking boating bowling boxing camping climbing coaching composing cooking crafting cycling dancing "
    "decorating drawing driving fishing gaming gardening hiking jogging juggling kayaking knitting meditating "
    "mentoring painting parenting photographing programming reading recording riding rehearsing running sailing "
    "sculpting shopping singing skating skiing snowboarding surfing swimming teaching training traveling "
    "travelling tutoring volunteering walking writing"
)
# what ends a label's claim to be a noun: adjectives by their ending
ADJECTIVE_ENDINGS = ("ful", "ous", "ive", "able", "ible", "less", "ish", "ical")
NOUN_ENDINGS = (
    "tion",
    "sion",
    "ness",
    "ity",
    "ment",
    "ance",
    "ence",
    "ship",
    "ism",
    "ing",
    "ency",
    "ancy",
    "ful",
    "ous",
    "ive",
    "able",
    "ible",
    "less",
    "ly",
    "ed",
    "hood",
    "ics",
    "ogy",
)  # fmt: skip
# verbs whose subject is what is felt, and whose object who feels it ("me gusta el café"); "gostar" is none
EXPERIENCE = word_set("gustar encantar interesar apasionar doler preocupar fascinar importar interessar doer preocupar")
