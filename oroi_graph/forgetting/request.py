"""Parse a request to forget: names, possessions, stated facts, or just "that". No database access.

The request is parsed by the rules for turns, so "my boss" and "that I live in Bilbao" mean the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from oroi_graph.entities.mentions import Mention, Reader, StatedRelation, read, speaker_mention
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.language.lexicons.pronouns import is_first_person
from oroi_graph.language.lexicons.tables import pattern, patterns, table, tables
from oroi_graph.language.normalize import label_key, tidy
from oroi_graph.language.parsed_text import parse
from oroi_graph.model import Extraction, Utterance
from oroi_graph.recall.question import read_question

_ROWS = table(tables("orders"), "request")
_LEAD, _TAIL, _ARTICLE, _AND, _ASKING, _JUST_SAID = (
    re.compile(pattern(_ROWS, name), re.IGNORECASE)
    for name in ("lead", "tail", "article", "and", "asking", "just_said")
)
_POINTING, _MYSELF = (frozenset(patterns(_ROWS, name)) for name in ("pointing", "myself"))


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What is asked to be forgotten, as it will be looked up.

    whole: readings of all of it as one name, the likeliest first; parts: the same for each member of a list ("X and
    Y"). facts: relations it states. asking: (owners, relation classes) of what it leaves open ("where I live").
    last: it names nothing ("that"); myself: the speaker as a whole. by: who asked, if that is not the speaker.
    """

    asked: str
    speaker: str
    whole: tuple[Mention, ...] = ()
    parts: tuple[tuple[Mention, ...], ...] = ()
    facts: tuple[StatedRelation, ...] = ()
    asking: tuple[tuple[Mention, ...], tuple[str, ...]] = ((), ())
    last: bool = False
    myself: bool = False
    by: str | None = None

    @property
    def mentions(self) -> list[Mention]:
        """Everything that must be looked up by its key."""
        ends = [end for fact in self.facts for end in (fact.source, fact.target)]
        named = [*self.whole, *(mention for part in self.parts for mention in part), *ends, *self.asking[0]]
        return [*named, *(mention.owner for mention in named if mention.owner is not None)]


def parse_request(text: str, speaker: str, at: datetime | None = None) -> ForgetRequest:
    """Read what is asked to be forgotten, in the words of `speaker`. Never fails."""
    asked = tidy(_TAIL.sub("", text.strip()))
    if label_key(asked) in _POINTING or _JUST_SAID.match(asked):
        return ForgetRequest(asked, speaker, last=True)
    bare = _bare(asked)
    if label_key(asked) in _MYSELF or label_key(bare) in _MYSELF or is_first_person(bare):
        return ForgetRequest(asked, speaker, myself=True)
    if not label_key(bare):
        return ForgetRequest(asked, speaker)
    if speaker_mention(speaker).key == label_key(bare):
        return ForgetRequest(asked, speaker, myself=True)
    members = [part for part in _AND.split(bare) if part]
    parts = (
        tuple(_named(_readings(part, _bare(part)), part, speaker, at) for part in members) if len(members) > 1 else ()
    )
    return ForgetRequest(
        asked,
        speaker,
        whole=_named(_readings(asked, bare), asked, speaker, at),
        parts=parts,
        facts=_facts(bare, speaker, at),
        asking=_asking(asked if _ASKING.search(asked) else bare, speaker, at),
    )


def head_of(mention: Mention) -> str | None:
    """ "boss" of "boss of Ana"; None for what is nobody's."""
    if mention.owner is None:
        return None
    return mention.label.removesuffix(mention.owner.label).rstrip().rpartition(" ")[0] or None


def _bare(text: str) -> str:
    """The thing itself, without "everything I told you about"."""
    while True:
        shorter = _LEAD.sub("", text, count=1)
        if shorter == text or not shorter.strip():
            return text
        text = shorter.strip()


def _readings(*forms: str) -> list[str]:
    """The forms of a name, then the same without articles."""
    return list(dict.fromkeys([*forms, *(_ARTICLE.sub("", form) for form in forms)]))


def _named(readings: Sequence[str], text: str, speaker: str, at: datetime | None) -> tuple[Mention, ...]:
    reader = Reader(Extraction(), speaker, parse(text, at))
    found = (reader.mention(reading) for reading in readings)
    return tuple(mention for mention in found if mention is not None and mention.kind != "self")


def _facts(text: str, speaker: str, at: datetime | None) -> tuple[StatedRelation, ...]:
    """The relations it states. "My sister Leire lives in Gernika" speaks of Gernika, not of who Leire is."""
    extraction = OfflineExtractor().extract(Utterance(text, speaker, "user", at), ())
    _, relations, _ = read(extraction, speaker, parse(text, at))
    stated = [relation for relation in relations if not relation.implied]
    joins = {(other.source.kind, other.source.key) for other in stated}
    return tuple(r for r in stated if (r.target.kind, r.target.key) not in joins or len(stated) == 1)


def _asking(text: str, speaker: str, at: datetime | None) -> tuple[tuple[Mention, ...], tuple[str, ...]]:
    if not _ASKING.search(text):
        return (), ()
    question = read_question(text, speaker, at, OfflineExtractor(rates=False))
    spans = question.spans or (speaker_mention(speaker),)
    return spans, question.classes
