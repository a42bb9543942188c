"""From an extraction's labels to mentions: who "I" is, whose "my boss" is, which value "15.000 €" is.

A mention says what is looked for in the graph (kind and key) and how it was said (surface). No database here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oroi_graph.language.lexicons import pronouns
from oroi_graph.language.normalize import label_key, tidy
from oroi_graph.language.parsed_text import ParsedText
from oroi_graph.language.values import canonical_value
from oroi_graph.model import ConceptKind, ExtractedRelation, Extraction, Replaced

# "Marta's brother", "my sister's husband", "brother of Marta", "la mujer de mi jefe": one owner, a name or owned.
_OWNED = r"(?:my|our|mis?|nuestr[oa]s?|(?:[oa]s? )?(?:meus?|minhas?|noss[oa]s?)) \S+(?: \S+){0,2}"
_NAME = r"[^\W\d_]\S*(?: [^\W\d_]\S*)?"
_GENITIVE = re.compile(rf"(?P<owner>{_OWNED}|{_NAME})['’]s (?P<head>\S.*)", re.IGNORECASE)
_OF = re.compile(
    rf"(?P<head>[^\W\d_]\S*(?: \S+){{0,2}}?) (?P<word>of|del?|d[oa]s?) "
    rf"(?P<owner>{_OWNED}|{_NAME}['’]s \S+(?: \S+)?|{_NAME})",
    re.IGNORECASE,
)
_OF_WORD = {"en": "of", "es": "de", "pt": "de"}


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing a turn mentions: `label` and `key` to look for, `surface` as said, `owner` if it is somebody's."""

    surface: str
    label: str
    key: str
    kind: ConceptKind
    owner: Mention | None = None
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """A relation between two mentions, as stated; `implied` for the possession inside "my boss".

    confidence: the extractor's, 0..1. past: told of a time long ago.
    """

    source: Mention
    relation: str
    target: Mention
    negated: bool = False
    replaces: bool | Replaced = False
    replaced: Mention | None = None
    when: str | None = None
    uptake: bool = False
    implied: bool = False
    confidence: float = 1.0
    past: bool = False


class Reader:
    """Reads the labels of one turn: knows who speaks, when, in which language, and the kinds the extractor gave."""

    def __init__(self, extraction: Extraction, speaker: str, parsed: ParsedText) -> None:
        self.me = speaker_mention(speaker)
        self._at, self._language = parsed.at, parsed.language
        self._kinds: dict[str, ConceptKind] = {label_key(c.label): c.kind for c in extraction.concepts}

    def mention(self, surface: str) -> Mention | None:
        """What `surface` mentions; None for a label of punctuation only."""
        label = tidy(surface)
        key = label_key(label)
        if not key:
            return None
        if pronouns.is_first_person(label) or key == self.me.key:
            return Mention(surface, self.me.label, self.me.key, "self")
        kind = self._kinds.get(key)
        if kind in (None, "value"):
            canonical = canonical_value(label, self._language, self._at)
            if canonical is not None:
                return Mention(surface, label, canonical, "value")
            if kind == "value":
                return Mention(surface, label, key, "value")
        owned = self._owned(surface, label)
        if owned is not None:
            return owned
        return Mention(surface, label, key, kind or _guess(label))

    def _owned(self, surface: str, label: str) -> Mention | None:
        match = _GENITIVE.fullmatch(label) or _OF.fullmatch(label)
        if match is not None:
            owner = self._owner(match["owner"])
            if owner is not None and not match["head"][0].isupper():
                name = f"{match['head']} {match.groupdict().get('word') or 'of'} {owner.label}"
                return Mention(surface, name, label_key(name), "concept", owner)
        possessive = pronouns.possessive(label)
        if possessive is None:
            return None
        tongue, head = possessive
        name = f"{tidy(head)} {_OF_WORD[tongue]} {self.me.label}"
        return Mention(surface, name, label_key(name), "concept", self.me, alias=label)

    def _owner(self, label: str) -> Mention | None:
        """Whose: the speaker's, somebody's by name, or something that is owned itself ("my sister's")."""
        if pronouns.possessive(label) is not None:
            return self._owned(label, label)
        if not label[0].isupper():
            return None
        if _GENITIVE.fullmatch(label):
            return self._owned(label, label)
        key = label_key(label)
        return self.me if key == self.me.key else Mention(label, label, key, "name")


def speaker_mention(speaker: str) -> Mention:
    """The self concept of a speaker."""
    label = tidy(speaker)
    return Mention(speaker, label, label_key(label), "self")


def read(
    extraction: Extraction, speaker: str, parsed: ParsedText
) -> tuple[list[Mention], list[StatedRelation], list[Mention]]:
    """All of a turn: its mentions (distinct by kind and key), its relations, and what is only looked up.

    Only looked up are the targets that a correction names: "not Bilbao" must not create Bilbao.
    """
    reader = Reader(extraction, speaker, parsed)
    relations = [*_stated(reader, extraction.relations, False), *_stated(reader, extraction.uptake, True)]
    found = [reader.mention(concept.label) for concept in extraction.concepts]
    for relation in relations:
        found += [relation.source, relation.target]
    mentions = distinct(mention for mention in found if mention is not None)
    mentions = distinct(part for mention in mentions for part in _with_owners(mention))
    relations += [StatedRelation(m.owner, "has", m, implied=True) for m in mentions if m.owner is not None]
    known = {(m.kind, m.key) for m in mentions}
    lookups = distinct(r.replaced for r in relations if r.replaced is not None)
    return mentions, relations, [m for m in lookups if (m.kind, m.key) not in known]


def distinct(mentions: Iterable[Mention]) -> list[Mention]:
    """The first mention of each (kind, key), in order."""
    found: dict[tuple[str, str], Mention] = {}
    for mention in mentions:
        found.setdefault((mention.kind, mention.key), mention)
    return list(found.values())


def _with_owners(mention: Mention) -> list[Mention]:
    """A mention, its owner, its owner's owner …"""
    return [mention, *(_with_owners(mention.owner) if mention.owner else [])]


def _stated(reader: Reader, relations: Sequence[ExtractedRelation], uptake: bool) -> list[StatedRelation]:
    stated = []
    for relation in relations:
        source, target = reader.mention(relation.source), reader.mention(relation.target)
        if source is None or target is None or (source.kind, source.key) == (target.kind, target.key):
            continue
        if target.owner is not None and (target.owner.kind, target.owner.key) == (source.kind, source.key):
            continue  # "Marta's brother" says already that Marta has a brother
        replaced = reader.mention(relation.replaces.target) if isinstance(relation.replaces, Replaced) else None
        stated.append(
            StatedRelation(
                source,
                tidy(relation.relation),
                target,
                relation.negated,
                relation.replaces,
                replaced,
                relation.when,
                uptake,
                confidence=relation.confidence,
                past=relation.past,
            )
        )
    return stated


def _guess(label: str) -> ConceptKind:
    """A label the extractor gave no kind: capitalised words are a name."""
    words = [word for word in label.split() if word[0].isalpha()]
    return "name" if words and words[0][0].isupper() else "concept"
