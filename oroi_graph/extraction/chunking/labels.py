"""Labels of noun phrases: the words that name something, without articles, praise and empty nouns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from oroi_graph.extraction.chunking.chunk import MAX_LABEL_WORDS, Chunk
from oroi_graph.extraction.chunking.english_verbs import is_generic_gerund
from oroi_graph.extraction.named_entities import is_acronym
from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.lexicons.by_language import ADJECTIVE_ENDINGS, LEXICONS
from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import NOUNS_TOO, english_verb
from oroi_graph.model import ConceptKind

_SUPERLATIVE = re.compile(r"\w+[íi]ssim[oa]s?|\w+ísim[oa]s?")
_ARTICLES = word_set("a an the el la los las un una unos unas o os as um uma uns umas")


def labelled(
    body: Sequence[Token], language: str, owner: str = "", owned: str = "", article: str = "", *, first: bool = False
) -> Chunk:
    """The chunk of a noun phrase; its label is empty if its words name nothing.

    body: the tokens after the determiners. owned: the possessive before them ("my"); owner: whom it stands for ("I").
    first: the phrase begins its sentence, so that its capital letter means nothing.
    """
    lexicon = LEXICONS[language]
    words = _stripped(body, lexicon)
    text = " ".join(t.text for t in body)
    if not words:
        return Chunk("np", text, article=article)
    head = words[0 if lexicon.romance else -1]
    alone = len(words) == 1 and not owned and article not in _ARTICLES
    if head.kind == "word" and _names_nothing(head.low, lexicon, alone=alone):
        return Chunk("np", text, article=article)
    words = words[:MAX_LABEL_WORDS] if lexicon.romance else words[-MAX_LABEL_WORDS:]
    concept = _concept_kind(words, lexicon)
    label = " ".join(
        t.text if t.kind != "word" or is_acronym(t.text) or not (first and t is body[0]) else t.low for t in words
    )
    inner = [t.text for t in words if t.kind == "name" and concept == "concept" and not is_acronym(t.text)]
    full = f"{owned} {label}" if owned and concept == "concept" else label
    return Chunk("np", text, full, concept, owner, label, article, inner)


def _stripped(words: Sequence[Token], lexicon: Lexicon) -> Sequence[Token]:
    """The words without praise and interjections at both ends, and without a generic gerund at the beginning."""
    first, after = 0, len(words)
    while first < after and words[first].kind == "word":
        gerund = not lexicon.romance and after - first > 1 and is_generic_gerund(words[first].low)
        if not gerund and not _says_no_more(words[first].low, lexicon):
            break
        first += 1
    while after > first and words[after - 1].kind == "word":
        low = words[after - 1].low
        if not _says_no_more(low, lexicon) and not _SUPERLATIVE.fullmatch(low):
            break
        after -= 1
    return words[first:after]


def _says_no_more(low: str, lexicon: Lexicon) -> bool:
    return low in lexicon.evaluative or low in lexicon.interjections


def _concept_kind(words: Sequence[Token], lexicon: Lexicon) -> ConceptKind:
    kinds = {t.kind for t in words}
    titled = lexicon.romance and words[0].low in lexicon.offices and {t.kind for t in words[1:]} == {"name"}
    if kinds == {"name"} or titled:  # "la doctora Liaño"
        return "name"
    return "value" if kinds == {"value"} else "concept"


def _names_nothing(low: str, lexicon: Lexicon, *, alone: bool) -> bool:
    """Whether a head noun names nothing. alone: it stands without article, possessive or other words."""
    if low in lexicon.junk or len(low) < 2 or low.isdigit():
        return True
    return alone and (low.endswith(ADJECTIVE_ENDINGS) or (not lexicon.romance and _is_verb_only(low)))


def _is_verb_only(low: str) -> bool:
    verb = english_verb(low)
    if verb is None:
        return low.endswith("ed") and len(low) > 5
    return is_generic_gerund(low) or (verb.tense not in {"ing", "s"} and low not in NOUNS_TOO)
