"""A chunk (one phrase of a sentence), and the cursor that makes chunks of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.model import ConceptKind

MAX_LABEL_WORDS = 6
_END = Token("", "end")

# np: noun phrase. sub, if: words that begin a subordinate clause or a condition. inf: an infinitive or gerund whose
# subject is not stated ("to see"). neg: a negation outside a verb group. stop: punctuation other than a comma.
# naming: "called" of "a dog called Max".
ChunkKind = Literal[
    "np", "pron", "verb", "prep", "and", "but", "sub", "if", "inf", "date", "clock", "comma", "stop", "adv", "neg",
    "interjection", "naming",
]  # fmt: skip


@dataclass(slots=True)
class Chunk:
    """A phrase of a sentence: its `kind`, its words as `text`, and what it contributes to a relation.

    Noun phrases: `label` is the phrase without article and praise ("" if it names nothing), `concept` the kind of
    concept it names, `owner` whose it is ("I", "Ana", "" for nobody's), `head` the label without the owner, `inner`
    the names within the label. Verb groups: `relation` is the readable relation in the third person, `lemma` that of
    the main verb, `person` 1 to 6 (0 if unmarked), `clitic` the pronoun before the verb, `active` the active
    form of a passive ("painted" of "was painted")."""

    kind: ChunkKind
    text: str
    label: str = ""
    concept: ConceptKind = "concept"
    owner: str = ""
    head: str = ""
    article: str = ""
    inner: list[str] = field(default_factory=list)
    relation: str = ""
    negated: bool = False
    person: int = 0
    lemma: str = ""
    tense: str = ""
    clitic: str = ""
    active: str = ""


def belongs_to_date(chunks: Sequence[Chunk], i: int) -> bool:
    """Whether chunk `i` is the preposition of a date or a time of day: "since 1 June I work …"."""
    return [chunk.kind for chunk in chunks[i : i + 2]] in (["prep", "date"], ["prep", "clock"])


class Cursor:
    """A position in the tokens of one sentence, and the chunks made so far.

    words: all tokens. i: index of the next token to read. out: the chunks of the tokens before it."""

    def __init__(self, words: list[Token], language: str) -> None:
        self.words, self.language, self.lexicon = words, language, LEXICONS[language]
        self.i = 0
        self.out: list[Chunk] = []

    def peek(self, ahead: int = 0) -> Token:
        """The token `ahead` of the next one; an empty token after the last."""
        at = self.i + ahead
        return self.words[at] if at < len(self.words) else _END

    def add(self, kind: ChunkKind, count: int = 1) -> None:
        """Make one chunk of the next `count` tokens."""
        self.out.append(Chunk(kind, " ".join(t.text for t in self.words[self.i : self.i + count])))
        self.i += count

    def follows(self, *kinds: ChunkKind) -> bool:
        """Whether the last chunk is of one of these kinds."""
        return bool(self.out) and self.out[-1].kind in kinds

    def object_follows(self, ahead: int) -> bool:
        """Whether the token `ahead` can begin an object."""
        token, lexicon = self.peek(ahead), self.lexicon
        if token.kind != "word":
            return token.kind in ("name", "value")
        others = (lexicon.prepositions, lexicon.conjunctions, lexicon.adverbs, lexicon.subordinators)
        return not any(token.low in words for words in others)

    def expects_verb(self) -> bool:
        """Whether a finite verb can stand here: at the start, after a subject, "and", "who" …"""
        for i in reversed(range(len(self.out))):
            if self.out[i].kind in ("adv", "neg", "date", "clock") or (i and belongs_to_date(self.out, i)):
                continue
            return self.out[i].kind not in ("verb", "prep", "inf", "naming")
        return True
