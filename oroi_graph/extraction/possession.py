"""Whose something is, and which phrases name the same thing: possessives and apposition."""

from __future__ import annotations

import re
from dataclasses import replace

from oroi_graph.extraction.coreference import References
from oroi_graph.extraction.phrases import Chunk
from oroi_graph.language.pronouns import possessive
from oroi_graph.language.values import canonical_value

_FAVOURITE = re.compile(r"\b(?:favou?rite|favorit[oa]s?|preferid[oa]s?)\b", re.IGNORECASE)


class Belongings(References):
    """Notes the concepts of noun phrases, with their owners."""

    def _mention(self, chunk: Chunk) -> None:
        """Settle a phrase's label (whose it is), and note its concepts."""
        if chunk.label and chunk.concept == "concept":
            self._settle_owner(chunk)
        if not chunk.label:
            return
        for name in chunk.inner:
            self.concepts.setdefault(name, "name")
        attribute = self._attribute(chunk) is not None
        if not attribute:
            self.concepts.setdefault(chunk.label, chunk.concept)  # type: ignore[arg-type]
        if chunk.concept == "value":
            counted = re.fullmatch(r"[\w.,]+ ([^\W\d_]{3,})", chunk.label)
            canonical = canonical_value(chunk.label, self.language, self.at) or ""
            unit = re.fullmatch(
                r"[\d.]+ "
                r"(?:kg|[gml]|km|cm|mm|mile|lb|ft|inch|hour|minute|second|day|week|month|year|\wB|°C|degree)",
                canonical,
            )
            if counted and not unit and " " in canonical and canonical[0].isdigit():
                self.concepts.setdefault(counted.group(1), "concept")
        elif chunk.owner and self.concepts.get(chunk.owner) == "name" and chunk.owner != chunk.label and not attribute:
            kin = not self.lexicon.kinship.isdisjoint(chunk.head.casefold().split())
            if kin and not self._appositive(chunk):
                self._say(chunk.owner, chunk.head, chunk.label)

    def _settle_owner(self, chunk: Chunk) -> None:
        first = chunk.label.split(" ", 1)[0].casefold()
        if first in self.lexicon.possessives and " " in chunk.label:
            owner, rest = self.lexicon.possessives[first], chunk.label.split(" ", 1)[1]
            if owner in self.lexicon.you or (self.addressed and first in self.lexicon.mine):
                chunk.owner = self.me if self.addressed else ""
                chunk.label = f"{self.lexicon.mine.get(first, 'my')} {rest}" if self.addressed else rest
            elif not owner:
                person = self._person() if first in self.lexicon.his else None
                chunk.owner = person or ""
                named = f"{rest} de {person}" if self.lexicon.romance else f"{person}'s {rest}"
                alone = "" if rest.casefold() in self.lexicon.attributes else rest
                chunk.label, chunk.head = (named, rest) if person else (alone, rest)
            elif chunk.owner == owner:
                chunk.head = rest
            if chunk.label[:1].isupper() and first[0].islower():
                chunk.label = chunk.label[0].lower() + chunk.label[1:] if possessive(chunk.label) else chunk.label

    def _appositive(self, chunk: Chunk) -> Chunk | None:
        """The name that stands beside a phrase: "my brother Luis", "el hermano de Ana, Luis, vive"."""
        i = next(k for k, c in enumerate(self.chunks) if c is chunk)
        after = self.chunks[i + 1 : i + 4]
        kinds = [c.kind for c in after]
        if kinds[:1] == ["np"] and after[0].concept == "name":
            return None if self._begins_clause(i) else after[0]
        if kinds == ["comma", "np", "comma"] and after[1].concept == "name":
            return after[1]
        return None

    def _begins_clause(self, i: int) -> bool:
        """Whether the name after phrase `i` is the subject of what follows: "for my birthday | Ana gave me …"."""
        before, verb = self.chunks[i - 1] if i else None, self._near(i + 1, 1)
        if before is None or before.kind != "prep" or before.text.casefold() in ("a", "al", "ao"):
            return False  # "a mi hermano Luis le gusta …"
        if verb is None or verb.kind != "verb" or (self.lexicon.romance and verb.person not in (3, 6)):
            return False
        return all(chunk.kind != "verb" for chunk in self.chunks[:i])

    def _attribute(self, chunk: Chunk) -> str | None:
        """ "birthday" of "my birthday", if a copula follows."""
        head = chunk.head
        if not chunk.owner or not head:
            return None
        last = head.split()[0 if self.lexicon.romance else -1].casefold()
        if last not in self.lexicon.attributes and not _FAVOURITE.search(head):
            return None
        i = next(k for k, c in enumerate(self.chunks) if c is chunk)
        verb = self._near(i, 1)
        return head if verb is not None and verb.kind == "verb" and verb.lemma in ("be", "ser") else None

    def _joined(self, phrase: Chunk, name: Chunk) -> bool:
        """Apposition: the name takes the phrase's place."""
        if name.concept != "name" or phrase.kind != "np" or phrase.concept != "concept" or not phrase.label:
            return False
        if self._appositive(phrase) is not name or (not phrase.owner and self.lexicon.romance):
            return False
        self.concepts.setdefault(name.label, "name")
        if phrase.owner:  # "my boss Marta": what is said of my boss later is said of her
            self._say(phrase.owner, phrase.head, name.label)
            self._say(phrase.label, self.lexicon.copula, name.label)
        else:
            self.concepts.pop(phrase.label, None)
        clause = self.clause
        clause.subjects = [name.label if s == phrase.label else s for s in clause.subjects]
        clause.found = [replace(r, target=name.label) if r.target == phrase.label else r for r in clause.found]
        if clause.subject is phrase:
            clause.subject = name
        return True

    def _inserted(self, i: int, chunk: Chunk) -> bool:
        """ "Carlos, Ana's brother, is …": says who the name before is, and leaves it the subject."""
        around = [c.kind for c in self.chunks[max(0, i - 2) : i + 2]]
        if around != ["np", "comma", "np", "comma"] or not chunk.owner or chunk.concept != "concept":
            return False
        name = self.chunks[i - 2]
        if name.concept != "name" or self.clause.verb is not None:
            return False
        self._settle_owner(chunk)
        for inner in chunk.inner:
            self.concepts.setdefault(inner, "name")
        self._say(chunk.owner, chunk.head, name.label)
        if possessive(chunk.label):
            self.concepts.setdefault(chunk.label, "concept")
            self._say(chunk.label, self.lexicon.copula, name.label)
        return True
