"""Acting out a scenario template: a conversation among other talk, with dates, gold extractions and its question."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from scenario_notation import SLOT, YEAR, Line, Template, fill, states, talk
from scenario_words import WORDS

ANY_ORDER = ("convergence", "distractors")  # phenomena whose statements may be told in any order
ASSISTANT = "Oroi"
REPLIED = 0.4  # share of the turns around a template's own that get a reply
PEOPLE = 2  # among a template's own turns: facts of the same form as what is asked for, about others,
EVENTS = (2, 4)  # unrelated facts,
CHAT = (1, 3)  # and turns that state nothing
AFTER = (7, 9)  # turns after the last of them: the answer is never in the last six
CHATTER = 0.35  # share of those that state nothing
SECOND = 0.4  # share of the other talk by the second speaker, where there is one
WRITTEN = "%Y-%m-%dT%H:%M:%SZ"  # a turn's time
LONG_SESSION = 8  # turns of other talk in a session of a long scenario
LONG_SPAN = (0.03, 0.75)  # where in a long scenario the template's first and last sessions lie
LONG_REPLIED = 0.03  # share of its turns that get a reply


@dataclass(slots=True)
class Spoken:
    """One turn before it has a date; `key`: it belongs to the template."""

    words: str
    extraction: dict[str, Any]
    session: int
    second: bool
    reply: str | None
    key: bool


class Cast:
    """The words one scenario has drawn: each only once, so that nothing said besides can be taken for the answer."""

    def __init__(self, rng: random.Random, language: str, final: bool) -> None:
        self._rng = rng
        self._language = language
        self._final = final
        self._taken: set[str] = set()

    def bind(self, texts: Sequence[str], bound: Mapping[str, str] | None = None) -> dict[str, str]:
        """A word for every slot of the texts that is not bound yet, never one that was drawn before."""
        found = dict(bound or {})
        for text in texts:
            for _, name, number in SLOT.findall(text):
                if name + number not in found:
                    found[name + number] = self._draw(name)
        return found

    def _draw(self, name: str) -> str:
        names = ("woman", "man") if name == "person" else (name,)
        lists = [WORDS[self._language][key].of(self._final) for key in names]
        free = [word for words in lists for word in words if word.casefold() not in self._taken]
        if not free:
            raise LookupError(f"no word of the list {name!r} is left")
        word = self._rng.choice(free)
        self._taken.add(word.casefold())
        return word

    def release(self, words: Sequence[str]) -> None:
        """Let words be drawn again (long talk would run out of them)."""
        self._taken -= {word.casefold() for word in words}


@dataclass(slots=True)
class Conversation:
    """A scenario while it is written: its cast, what may not be said besides, how often there are replies."""

    template: Template
    rng: random.Random
    final: bool
    variant: int = 0  # which of the template's questions is asked
    replied: float = REPLIED
    cast: Cast = field(init=False)
    bound: dict[str, str] = field(init=False)
    labels: set[str] = field(init=False)
    said: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        t = self.template
        self.cast = Cast(self.rng, t.language, self.final)
        texts = ["{speaker1} {speaker2}", *t.questions, *t.required, *t.forbidden]
        self.bound = self.cast.bind([*texts, *(line.words for line in t.lines)])
        self.labels = {label for line in t.lines for label in _labels(states(line.states, self.bound, t.language))}

    def own(self) -> list[Spoken]:
        """What the template says, in an order of its own where any order will do; answers stay with their questions."""
        groups: list[list[Line]] = []
        for line in self.template.lines:
            if groups and _asks(groups[-1][-1].reply):
                groups[-1].append(line)
            else:
                groups.append([line])
        if self.template.phenomenon in ANY_ORDER:
            self.rng.shuffle(groups)
        lines = [line for group in groups for line in group]
        sessions = sorted(line.session for line in lines)
        return [self.say(line, session, self.bound, key=True) for line, session in zip(lines, sessions, strict=True)]

    def say(self, line: Line, session: int, bound: Mapping[str, str], *, key: bool = False) -> Spoken:
        """A line with its slots filled."""
        language = self.template.language
        reply = fill(line.reply, bound) if line.reply else None
        if not key:  # the replies of a template's own turns are part of it
            replied = self.rng.random() < self.replied
            reply = (reply or self.rng.choice(talk(language).replies)) if replied else None
        second = line.second or (not key and self.template.two and self.rng.random() < SECOND)
        return Spoken(fill(line.words, bound), states(line.states, bound, language), session, second, reply, key)

    def besides(self, lines: Sequence[Line], *, again: bool = False) -> Spoken:
        """One of these lines of other talk: nothing said already (`again`: unless it states nothing), nothing of what
        the template speaks of. Its words can be drawn `again` for other lines."""
        while True:
            line = self.rng.choice(lines)
            bound = self.cast.bind([line.words])
            words = fill(line.words, bound)
            if again or words in self.said:
                self.cast.release(list(bound.values()))
            spoken = self.say(line, 1, bound)
            fresh = words not in self.said or (again and not line.states)
            if fresh and not _labels(spoken.extraction) & self.labels:
                self.said.add(words)
                return spoken

    def probe(self) -> dict[str, Any]:
        """The question, one of the template's, with what must and what must not be said."""
        t = self.template
        required, forbidden = (
            [[fill(some, self.bound) for some in line.split("/")] for line in lines]
            for lines in (t.required, t.forbidden)
        )
        question = fill(t.questions[self.variant % len(t.questions)], self.bound)
        return {"question": question, "required": required, "forbidden": forbidden}

    def scenario(self, name: str, spoken: Sequence[Spoken], pace: tuple[int, int]) -> dict[str, Any]:
        """The finished scenario; `pace`: fewest and most days between two sessions."""
        t = self.template
        speakers = (self.bound["speaker1"], self.bound["speaker2"])
        turns = list(dated(spoken, speakers, self.rng, pace))
        about = {"id": name, "phenomenon": t.phenomenon, "language": t.language}
        return about | {"turns": turns, "probes": [self.probe()]}


def _labels(extraction: Mapping[str, Any]) -> set[str]:
    return {concept["label"] for concept in extraction.get("concepts", [])}


def _asks(reply: str | None) -> bool:
    return reply is not None and reply.endswith("?")


def act_out(conversation: Conversation, name: str) -> dict[str, Any]:
    """A scenario of some thirty turns: the template's own among other talk, and other talk after them."""
    rng, known = conversation.rng, talk(conversation.template.language)
    body = conversation.own()
    sessions = body[-1].session
    kinds = [known.people] * PEOPLE + [known.events] * rng.randint(*EVENTS) + [known.chat] * rng.randint(*CHAT)
    for lines in kinds:
        spoken = conversation.besides(lines)
        spoken.session = rng.randint(1, sessions)
        places = [place for place in range(len(body) + 1) if _fits(body, place, spoken.session)]
        body.insert(rng.choice(places), spoken)
    for _ in range(rng.randint(*AFTER)):
        spoken = conversation.besides(known.chat if rng.random() < CHATTER else known.events)
        spoken.session = sessions + 1
        body.append(spoken)
    return conversation.scenario(name, body, (2, 20))


def _fits(body: Sequence[Spoken], place: int, session: int) -> bool:
    """Whether a turn of `session` may stand at `place`: sessions never go back, and an answer follows its question."""
    before = body[place - 1] if place else None
    after = body[place] if place < len(body) else None
    torn = before is not None and after is not None and before.key and after.key and _asks(before.reply)
    return (before.session if before else 1) <= session <= (after.session if after else session) and not torn


def act_out_long(conversation: Conversation, name: str, turns: int) -> dict[str, Any]:
    """A scenario of more than `turns` turns by users: the template's sessions lie far apart among other talk."""
    rng, known = conversation.rng, talk(conversation.template.language)
    own = conversation.own()
    last = own[-1].session
    count = turns // LONG_SESSION + 1
    first, end = round(LONG_SPAN[0] * count), round(LONG_SPAN[1] * count)
    places = {s: first + (end - first) * (s - 1) // max(last - 1, 1) for s in range(1, last + 1)}
    told: dict[int, list[Spoken]] = {}
    for said in own:
        told.setdefault(places[said.session], []).append(said)
    spoken: list[Spoken] = []
    for session in range(1, count + 1):
        mine = told.get(session, [])
        others = [
            conversation.besides(known.chat if rng.random() < CHATTER else known.events, again=True)
            for _ in range(LONG_SESSION)
        ]
        cut = rng.randint(0, LONG_SESSION)
        for said in [*others[:cut], *mine, *others[cut:]]:
            said.session = session
            spoken.append(said)
    return conversation.scenario(name, spoken, (1, 3))


def dated(
    spoken: Sequence[Spoken], speakers: tuple[str, str], rng: random.Random, pace: tuple[int, int]
) -> Iterator[dict[str, Any]]:
    """Turns with speakers and dates, replies among them; sessions begin `pace` days apart, in the afternoon."""
    at = datetime(YEAR, 1, 2, 17, tzinfo=UTC) + timedelta(days=rng.randint(0, 20))
    session = 0
    for turn in spoken:
        if turn.session != session:
            if session:
                at = at.replace(hour=17, minute=0) + timedelta(days=rng.randint(*pace))
            session = turn.session
            at += timedelta(minutes=rng.randint(1, 50))
        for role, speaker, words in (
            ("user", speakers[turn.second], turn.words),
            ("assistant", ASSISTANT, turn.reply),
        ):
            if words is None:
                continue
            at += timedelta(minutes=1)
            said = {"role": role, "speaker": speaker, "text": words, "session": session}
            yield (said | {"at": at.strftime(WRITTEN)} | ({"extraction": turn.extraction} if role == "user" else {}))
