"""Where a pass over a sentence's tokens stands, and the chunks it has made."""

from __future__ import annotations

from oroi_graph.extraction.phrases import Chunk, is_of_date
from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.language.lexicons.lexicon import Lexicon


class Cursor:
    """The tokens of one sentence, read from `i` on, and what they made so far, `out`."""

    def __init__(self, words: list[Token], language: str) -> None:
        self.words = words
        self.language = language
        self.lexicon: Lexicon = LEXICONS[language]
        self.i = 0
        self.out: list[Chunk] = []

    def _peek(self, ahead: int = 0) -> Token:
        at = self.i + ahead
        return self.words[at] if at < len(self.words) else Token("", "end")

    def _add(self, kind: str, count: int = 1) -> None:
        self.out.append(Chunk(kind, " ".join(t.text for t in self.words[self.i : self.i + count])))
        self.i += count

    def _object_follows(self, ahead: int) -> bool:
        """Whether what stands `ahead` may begin an object."""
        token = self._peek(ahead)
        lexicon = self.lexicon
        return token.kind in ("name", "value") or (
            token.kind == "word"
            and token.low not in lexicon.prepositions | lexicon.conjunctions | lexicon.adverbs | lexicon.subordinators
        )

    def _waits_for_verb(self) -> bool:
        """Whether a finite verb may stand here: after a subject, at the start, after "and", "who" …"""
        for i in reversed(range(len(self.out))):
            if self.out[i].kind in ("adv", "neg", "date", "clock") or (i and is_of_date(self.out, i)):
                continue
            return self.out[i].kind in ("np", "pron", "and", "but", "sub", "if", "stop", "comma", "hey")
        return True
