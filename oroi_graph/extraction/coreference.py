"""Whom and what a pronoun or a left-out subject means: one candidate nearby, else nobody."""

from __future__ import annotations

from oroi_graph.extraction.clause_state import Reading
from oroi_graph.extraction.phrases import Chunk
from oroi_graph.language.detection import READ, detect
from oroi_graph.language.pronouns import is_first_person

MAX_ANALYSED = 4_000  # characters of one turn; what follows is kept by memory, but not read


class References(Reading):
    """Resolves pronouns from this turn and the one before."""

    def _resolved(self, chunk: Chunk, i: int) -> str | None:
        low = chunk.text.casefold()
        if is_first_person(low):
            # what the assistant says of itself is nobody's fact
            return None if self.addressed else self.me
        if low in self.lexicon.you:
            return self.me if self.addressed else None
        if low in self.lexicon.he:
            return self._person()
        if low == "it":
            verb = self._near(i, 1)
            return self._thing(far=verb is not None and verb.lemma != "be")
        return None

    def _person(self) -> str | None:
        """Whom "he" or a left-out subject means: the last clause's subject, else the only name near."""
        if len(self.subjects) == 1:
            return self.subjects[0]
        names = [c for c, kind in self.concepts.items() if kind == "name" and not self._present(c)]
        if self.subjects or names:
            return names[0] if len(names) == 1 else None
        if self.people:
            return self.people[-1]
        before = self._before()
        if before is None:
            return None
        people = before.subjects or [c for c, kind in before.concepts.items() if kind == "name"]
        people = [p for p in people if not self._present(p)]
        return people[0] if len(people) == 1 else None

    def _present(self, name: str) -> bool:
        """Whether a name is one of those talking ("Mel" is Melanie): nobody calls them "she"."""
        speakers = {u.speaker.casefold() for u in self.window} | {self.speaker.casefold()}
        return any(s.startswith(name.casefold()) or name.casefold().startswith(s) for s in speakers)

    def _thing(self, *, far: bool = True) -> str | None:
        """What "it" means: what was spoken of last, with `far` also in the turn before."""
        if self.things:
            return self.things[-1]
        before = self._before() if far else None
        return before.things[-1] if before is not None and before.things else None

    def _before(self) -> Reading | None:
        """The last turn of the window, read without its own window."""
        if not self.window:
            return None
        last = self.window[-1]
        reader = type(self)(detect(last.text, self.language, READ), last.at, (), last.speaker)
        reader.read(last.text[:MAX_ANALYSED])
        return reader
