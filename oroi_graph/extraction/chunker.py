"""Sentences to chunks: noun phrases, verb groups, prepositions, dates.

Rule-based, from closed classes, verb tables and capital letters; no statistics. Linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from oroi_graph.extraction.named_entities import join_names
from oroi_graph.extraction.noun_phrases import NAMING, NounPhrases
from oroi_graph.extraction.phrases import Chunk
from oroi_graph.extraction.tokenizer import Token, expand, tokens
from oroi_graph.extraction.verb_groups.english import EnglishGroups
from oroi_graph.extraction.verb_groups.romance import RomanceGroups
from oroi_graph.language.sentences import is_question
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import NOUNS_TOO, english_verb

MAX_SENTENCE_TOKENS = 120
_MOTION = word_set("ir vir chegar voltar regressar viajar mudar pertencer assistir")
_TAKES_TO = re.compile(r"al[ée]rg|favorável|igual|semelhante|superior|inferior", re.IGNORECASE)
_DEGREE = word_set("muy tan tão")  # before an adjective, which is then no object
_MORE = word_set("más menos mais")
_DEMONSTRATIVES = word_set("that this these those all some much more both most")


@dataclass(slots=True)
class Sentence:
    """One sentence's chunks; `asks` if it is a question; `future` if it speaks of what is to come."""

    chunks: list[Chunk]
    asks: bool
    text: str


def sentences(text: str, language: str, at: datetime | None, known: frozenset[str]) -> list[Sentence]:
    """The sentences of a text, chunked. `known`: names (lower case) that are names even as a first word."""
    text = expand(text, language)
    result: list[Sentence] = []
    current: list[Token] = []
    begin = 0
    for token in [*tokens(text, language, at), Token(".", "end", end=len(text))]:
        if token.kind != "end" and len(current) < MAX_SENTENCE_TOKENS:
            current.append(token)
            continue
        if current:
            said = text[begin : token.end].strip()
            asks = "?" in token.text or is_question(said)
            named = join_names(current, language, known)
            result.append(Sentence(_Chunker(named, language).chunks(), asks, said))
        current, begin = [], token.end
    return result


class _Chunker(NounPhrases, EnglishGroups, RomanceGroups):
    """One pass over a sentence's tokens."""

    def chunks(self) -> list[Chunk]:
        while self.i < len(self.words):
            before = self.i
            self._next()
            self.i = max(self.i, before + 1)
        return self.out

    def _next(self) -> None:
        token, lexicon = self._peek(), self.lexicon
        low = token.low
        if token.kind == "mark":
            self._add("comma" if token.text == "," else "stop")
        elif token.kind in ("date", "clock"):
            self.out.append(Chunk(token.kind, token.text, token.text, "value"))
            self.i += 1
        elif token.kind in ("name", "value"):
            self._noun_phrase()
        elif self.language == "en" and self._loose_gerund():
            self._add("inf")
        elif low in NAMING and self._peek(1).kind == "name" and self.out and self.out[-1].kind == "np":
            self._add("called")
        elif self._infinitive() or self._verb_group():
            return
        elif low in lexicon.interjections and low not in lexicon.determiners and not self._waits_for_object():
            self._add("hey")
        elif low in lexicon.conditionals and (low not in lexicon.clitics or self._waits_for_verb()):
            self._add("if")
        elif (
            low in _MORE and lexicon.romance and self.out and self.out[-1].kind == "np" and self._peek(1).kind == "word"
        ):
            self._add("adv", 2)
        elif low in lexicon.possessives or (low in lexicon.determiners and not self._goes_to() and self._determines()):
            self._noun_phrase()
        elif low in {"some", "many", "most", "all", "one", "part"} and self._peek(1).low == "of":
            self.i += 2
        elif low in lexicon.pronouns:
            self._add("pron")
        elif low in lexicon.subordinators:
            self._add("sub")
        elif low in lexicon.conjunctions:
            self._add("and" if low in lexicon.coordinating else "but")
        elif low in lexicon.prepositions:
            self._add("prep")
        elif low in lexicon.negations:
            self._add("neg")
        elif low in _DEGREE and lexicon.romance and self._peek(1).kind == "word":
            self._add("adv", 2)
        elif low in lexicon.adverbs or (low.endswith(("ly", "mente")) and len(low) > 5):
            self._add("adv")
        elif token.kind == "word" and low in lexicon.determiners:
            self._add("pron")
        elif token.kind == "word":
            self._noun_phrase()
        else:
            self.i += 1

    def _goes_to(self) -> bool:
        """Whether Portuguese "a" is the preposition: "fui a Lisboa", but "conheço a Ana"."""
        if self._peek().low not in self.lexicon.prepositions or not self.out:
            return False
        return self.out[-1].lemma in _MOTION or bool(_TAKES_TO.match(self.out[-1].label))

    def _waits_for_object(self) -> bool:
        return bool(self.out) and self.out[-1].kind == "prep"

    def _determines(self) -> bool:
        """Whether a determiner has a noun after it ("that book") or stands for one ("that is")."""
        following = self._peek(1)
        if following.kind in ("name", "value", "date"):
            return self._peek().low != "that"
        low, lexicon = following.low, self.lexicon
        if following.kind != "word" or low in lexicon.pronouns | lexicon.prepositions | lexicon.modals:
            return False
        if self._peek().low in _DEMONSTRATIVES:
            verb = english_verb(low)
            if verb is not None and (verb.lemma in {"be", "have", "do"} or low not in NOUNS_TOO):
                return False
        return low not in lexicon.conjunctions | lexicon.subordinators

    def _infinitive(self) -> bool:
        if self._peek(1).kind != "word" or self._peek().kind != "word":
            return False
        return self._romance_infinitive() if self.lexicon.romance else self._english_infinitive()

    def _verb_group(self) -> bool:
        return self._romance_group() if self.lexicon.romance else self._english_group()
