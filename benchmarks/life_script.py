"""A scripted life: some hundred days of conversation with a memory, each turn with what it states.

Nothing here is random but the draws of one seeded generator, day by day, so a longer life begins with the shorter one.
The gold extractions leave an extractor's noise out: what is seen is the dynamics alone. Two people talk, Ana in English
and, in every fourth session, Luis in Spanish. In their turns there are

- **recurring topics** (work, family, a choir, a boat, rowing …), whose facts come back in varied words all the time;
- **fading topics** (a trip, a course, building works, a wedding), the talk of some weeks and then never again;
- **early facts**, told in the first days and taken up now and then until a certain day, then never again;
- **changing facts** (moves, cars …), corrected from time to time without saying what was true before;
- **trivia**, thousands of them, each told once;
- long turns that tell several things at once, for sleep to make a gist of;
- concepts mentioned together without a stated relation, labels of one thing in two wordings, and of two things in
  nearly one wording; small talk; questions back; replies, some taken up.

    python benchmarks/life_script.py --turns 5000 > life.jsonl       # what `oroi import` reads
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import life_topics as topics
import life_words as words
from life_topics import Changing, Fact, Topic

from oroi_graph.evaluation.scoring import correct
from oroi_graph.language.lexicons.pronouns import is_first_person
from oroi_graph.model import ExtractedConcept, ExtractedRelation, Extraction, Replaced

START = datetime(2024, 1, 1, 8, tzinfo=UTC)
SESSIONS = (("morning", 8), ("midday", 13), ("evening", 20))
TURNS_A_SESSION = (6, 11)
EARLY_DAYS = 10  # days in which the early facts are first told
EARLY_ENDS = (40, 100)  # days after which one half, then the other, is never taken up again
EARLY_AGAIN = 8  # days between two times that an early fact is taken up, on average
CHANGES = (18, 45)  # days between two corrections of one fact
NEW_TOPIC = 9  # days from the beginning of one fading topic to the next
TOPIC_LASTS = (14, 24)  # days
STORY = (3, 5)  # events, and sentences that state nothing, of a long turn
RECENT = (8, 150)  # turns since a trivial thing was said, for a probe of kind "recent"
OLD = 1500  # and for one of kind "trivia_old"
MOST = 40  # probes of one kind

KINDS = ("early", "recurring", "corrected", "faded_topic", "recent", "trivia_old")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: who says what in which session, what it states, what the assistant answers; `day` counts from 0."""

    id: str
    day: int
    session: str
    at: datetime
    speaker: str
    text: str
    extraction: Extraction
    reply: str | None
    about: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A question and what the brief must say (one of each) and must not say, true from turn `since` to `until`."""

    question: str
    required: tuple[tuple[str, ...], ...]
    kind: str
    speaker: str
    since: int
    forbidden: tuple[tuple[str, ...], ...] = ()
    until: int | None = None

    def answered(self, context: str) -> bool:
        """Whether a context says all that is required and nothing forbidden, as whole words."""
        return correct(context, self.required, self.forbidden)


@dataclass(frozen=True, slots=True)
class Life:
    """The turns, in order, and all probes; `probes_at` chooses those of one moment."""

    turns: tuple[Said, ...]
    probes: tuple[Probe, ...]

    def probes_at(self, turn: int) -> list[Probe]:
        """What can be asked after `turn` turns: at most `MOST` of each kind, evenly chosen."""
        found: list[Probe] = []
        for kind in KINDS:
            valid = [
                p for p in self.probes if p.kind == kind and p.since <= turn and (p.until is None or turn < p.until)
            ]
            if kind == "recent":
                valid = [p for p in valid if RECENT[0] <= turn - p.since <= RECENT[1]]
            if kind == "trivia_old":
                valid = [p for p in valid if turn - p.since >= OLD]
            found += _evenly(valid, MOST)
        return found


def live(turns: int, seed: int = 0) -> Life:
    """A life of `turns` turns by users."""
    script = _Script(seed)
    while len(script.turns) < turns:
        script.live_a_day()
    script.end()
    probes = sorted(script.probes, key=lambda p: (p.since, p.question))
    return Life(tuple(script.turns[:turns]), tuple(p for p in probes if p.since <= turns))


def lines(life: Life) -> Iterator[str]:
    """The life as JSON lines, one a turn, replies included."""
    for said in life.turns:
        shared = {"id": said.id, "session": said.session, "at": said.at.isoformat()}
        user = {"role": "user", "speaker": said.speaker, "text": said.text, "extraction": said.extraction.to_json()}
        yield json.dumps(shared | user, ensure_ascii=False)
        if said.reply is not None:
            reply = {"role": "assistant", "speaker": "Assistant", "text": said.reply}
            yield json.dumps(shared | reply, ensure_ascii=False)


class _Words(dict[str, str]):
    """Slots by name; "a slot" is the slot with its article."""

    def __missing__(self, key: str) -> str:
        article, _, slot = key.partition(" ")
        if article != "a" or not slot:
            raise KeyError(key)
        return ("an " if self[slot][0] in "aeiou" else "a ") + self[slot]


@dataclass(slots=True)
class _Fading:
    """A topic that is talked about now, with what its slots are bound to."""

    topic: Topic
    bound: dict[str, str]
    last_day: int
    told: int = 0  # facts told so far


@dataclass(slots=True)
class _Change:
    """Where a changing fact stands: its value (an index), when it changes next, since when it is true."""

    what: Changing
    next_day: int
    value: int = -1
    since: int = 0


@dataclass(slots=True)
class _Early:
    """An early fact: its first day, the day after which it is not taken up again, how often it was told."""

    fact: Fact
    first_day: int
    last_day: int
    told: int = 0


@dataclass(slots=True)
class _Session:
    """A session while it is written."""

    name: str
    at: datetime
    speaker: str
    topic: Topic | None
    fading: _Fading | None
    offered: str | None = None  # whom the assistant has just proposed to ask
    told: set[str] = field(default_factory=set)  # facts: none is told twice


class _Script:
    """Writes one day after another."""

    def __init__(self, seed: int) -> None:
        self.turns: list[Said] = []
        self.probes: list[Probe] = []
        self._random = random.Random(seed)
        self._day = 0
        self._used: set[str] = set()
        self._fading: list[_Fading] = []
        self._told: dict[str, int] = {}
        half = len(topics.EARLY) // 2
        self._early = [_Early(fact, i % EARLY_DAYS, EARLY_ENDS[i >= half]) for i, fact in enumerate(topics.EARLY)]
        self._changes = [_Change(what, 1 + i) for i, what in enumerate(topics.CHANGING)]

    def live_a_day(self) -> None:
        """One day: three sessions, each with its speaker and topic."""
        if self._day % NEW_TOPIC == 3:
            self._begin_topic()
        self._fading = [fading for fading in self._fading if self._still(fading)]
        for number, (name, hour) in enumerate(SESSIONS):
            speaker = "Luis" if (self._day * len(SESSIONS) + number) % 4 == 3 else "Ana"
            at = START + timedelta(days=self._day, hours=hour - START.hour, minutes=self._random.randrange(40))
            self._hold(_Session(f"{at:%Y-%m-%d} {name}", at, speaker, *self._choose_topic(speaker)))
        self._day += 1

    def end(self) -> None:
        """Close what is open: the probes of the facts that still hold."""
        for change in self._changes:
            self._probe_change(change, None)

    def _hold(self, session: _Session) -> None:
        due = self._due(session.speaker)
        for i in range(self._random.randint(*TURNS_A_SESSION)):
            if i < len(due):
                self._say(session, *due[i])
            elif session.offered:
                self._take_up(session)
            else:
                self._say_something(session)

    def _due(self, speaker: str) -> list[tuple[str, dict[str, str], str]]:
        """What must be said today: facts told first, facts that change, early facts taken up again."""
        changes = [c for c in self._changes if c.what.speaker == speaker and c.next_day <= self._day]
        due = [self._change(change) for change in changes]
        for early in self._early if speaker == "Ana" else ():
            first = not early.told and early.first_day <= self._day
            again = early.told and self._day <= early.last_day and self._random.random() < 1 / (2 * EARLY_AGAIN)
            if first or again:
                due.append((early.fact.wordings[early.told % len(early.fact.wordings)], {}, "early"))
                early.told += 1
                if first:
                    self._probe(early.fact, {}, "early", speaker, len(due))
        return due

    def _say_something(self, session: _Session) -> None:
        draw = self._random.random()
        if draw < 0.03:
            self._tell(session)
        elif draw < 0.42:
            self._talk(session)
        elif draw < 0.74:
            self._trifle(session)
        elif draw < 0.78:
            self._say(session, *self._restated(session.speaker))
        elif draw < 0.83:
            self._ask(session)
        elif draw < 0.87 and session.speaker == "Ana":
            a, b, text = self._random.choice(topics.TOGETHER)
            self._say(session, f"{text} | + {{x}} ; + {{y}}", {"x": a, "y": b}, "together")
        else:
            chat = topics.CHARLA if session.speaker == "Luis" else topics.CHAT
            self._say(session, self._random.choice(chat) + " |", {}, "chat")

    def _talk(self, session: _Session) -> None:
        """A fact or an event of the session's topic."""
        if session.fading:
            fading = session.fading
            facts, events, bound, about = fading.topic.facts, fading.topic.events, fading.bound, "fading"
            fact = facts[fading.told % len(facts)] if fading.told < len(facts) else self._random.choice(facts)
        else:
            assert session.topic is not None
            facts, events, bound, about = session.topic.facts, session.topic.events, {}, "recurring"
            fact = self._random.choice(facts)
        if self._random.random() < 0.45 and fact.question not in session.told:
            session.told.add(fact.question)
            count = self._told.get(key := _fill(fact.question, bound), 0)
            self._told[key] = count + 1
            self._say(session, fact.wordings[count % len(fact.wordings)], bound, about)
            if session.fading:
                session.fading.told += 1
            if not count:
                until_faded = session.fading.last_day if session.fading else None
                self._probe(fact, bound, "recurring" if until_faded is None else "faded_topic", session.speaker)
        else:
            self._say(session, self._random.choice(events), bound, about)

    def _tell(self, session: _Session) -> None:
        """A long turn: some of what befell in the session's topic, a trifle, and words that state nothing."""
        topic, bound = (session.fading.topic, session.fading.bound) if session.fading else (session.topic, {})
        assert topic is not None
        luis = session.speaker == "Luis"
        trifle = self._random.choice(topics.MENUDENCIAS if luis else topics.TRIVIA)
        chat = self._random.sample(topics.CHARLA if luis else topics.CHAT, STORY[1])
        events = self._random.sample(topic.events, min(STORY[0], len(topic.events)))
        told = [*events, topic.facts[0].wordings[0], f"{trifle[0]} | {trifle[1]}", *(f"{said} |" for said in chat)]
        self._random.shuffle(told)
        parts = [_parsed(each, _Words(self._slots(False) | bound)) for each in told]
        concepts = dict.fromkeys(concept for _, extraction in parts for concept in extraction.concepts)
        relations = dict.fromkeys(relation for _, extraction in parts for relation in extraction.relations)
        whole = Extraction(tuple(concepts), tuple(relations))
        self._add(session, " ".join(text for text, _ in parts), whole, self._reply(session, whole), "story")

    def _trifle(self, session: _Session) -> None:
        """Something that is said once and never again; asked for where it is unlike anything else."""
        among = topics.MENUDENCIAS if session.speaker == "Luis" else topics.TRIVIA
        text, stated, question, answer = self._random.choice(among)
        unique = self._random.random() < 0.7
        slots = self._slots(unique)
        self._say(session, f"{text} | {stated}", slots, "trivia")
        if unique:
            asked, required = question.format_map(slots), ((answer.format_map(slots),),)
            for kind in ("recent", "trivia_old"):
                self.probes.append(Probe(asked, required, kind, session.speaker, len(self.turns)))

    def _ask(self, session: _Session) -> None:
        """A question back to the memory, about a fact that is still talked about."""
        known = [t for t in topics.RECURRING if t.speaker == session.speaker]
        facts = [fact for topic in known for fact in topic.facts if fact.question in self._told]
        if not facts:
            self._trifle(session)
            return
        fact = self._random.choice(facts)
        stated = _parsed(fact.wordings[0], _Words())[1]
        ends = [end for relation in stated.relations for end in (relation.source, relation.target)]
        thing = next((end for end in ends if end.casefold() in fact.question.casefold()), None)
        about = f" | + {thing}" if thing else " |"
        tail = "" if session.speaker == "Luis" else "Remind me: "
        self._say(session, tail + fact.question + about, {}, "question", reply=f"{fact.required[0][0]}.")

    def _take_up(self, session: _Session) -> None:
        person, session.offered = session.offered, None
        relation = ExtractedRelation("I", "will ask", str(person))
        self._add(session, f"Yes, I will ask {person}.", Extraction(uptake=(relation,)), "Good.", "uptake")

    def _restated(self, speaker: str) -> tuple[str, dict[str, str], str]:
        among = [c for c in self._changes if c.what.speaker == speaker and c.value >= 0]
        if not among:
            return self._random.choice(topics.CHAT) + " |", {}, "chat"
        change = self._random.choice(among)
        return self._random.choice(change.what.again), {"value": _value(change, 0)}, "changing"

    def _change(self, change: _Change) -> tuple[str, dict[str, str], str]:
        """The fact's first value, or its next one, which replaces the one before."""
        self._probe_change(change, len(self.turns))
        change.value += 1
        change.since = len(self.turns)
        change.next_day = self._day + self._random.randint(*CHANGES)
        if not change.value:
            return change.what.first, {"value": _value(change, 0)}, "changing"
        return change.what.change, {"value": _value(change, 0), "old": _value(change, -1)}, "correction"

    def _probe_change(self, change: _Change, until: int | None) -> None:
        """The probe of the value that held until now, if it is one that replaced another."""
        if change.value > 0:
            now = _value(change, 0)
            others = tuple((value,) for value in change.what.values if value != now)
            since = change.since + TURNS_A_SESSION[1]  # the correction itself has been said by then
            what = change.what
            self.probes.append(Probe(what.question, ((now,),), "corrected", what.speaker, since, others, until))

    def _probe(self, fact: Fact, bound: Mapping[str, str], kind: str, speaker: str, later: int = 0) -> None:
        required = tuple(tuple(_fill(phrase, bound) for phrase in some) for some in fact.required)
        since = len(self.turns) + later
        if kind == "faded_topic":
            since += (TOPIC_LASTS[1] + 1) * len(SESSIONS) * TURNS_A_SESSION[1]
        self.probes.append(Probe(_fill(fact.question, bound), required, kind, speaker, since))

    def _choose_topic(self, speaker: str) -> tuple[Topic | None, _Fading | None]:
        fading = [each for each in self._fading if each.topic.speaker == speaker]
        if fading and self._random.random() < 0.4:
            return None, self._random.choice(fading)
        return self._random.choice([topic for topic in topics.RECURRING if topic.speaker == speaker]), None

    def _begin_topic(self) -> None:
        cycle, kind = divmod(self._day // NEW_TOPIC, len(topics.FADING))
        bound = {
            "who": self._once(words.FIRST, words.LAST),
            "where": words.TOWNS[(cycle + 9 * kind) % len(words.TOWNS)],
            "room": words.ROOMS[cycle % len(words.ROOMS)],
            "subject": words.SUBJECTS[cycle % len(words.SUBJECTS)],
            "colour": words.COLOURS[cycle % len(words.COLOURS)],
            "object": words.QUALITIES[(cycle + 11 * kind) % len(words.QUALITIES)],
        }
        self._fading.append(_Fading(topics.FADING[kind], bound, self._day + self._random.randint(*TOPIC_LASTS)))

    def _still(self, fading: _Fading) -> bool:
        return self._day <= fading.last_day

    def _say(self, session: _Session, sentence: str, bound: Mapping[str, str], about: str, reply: str = "") -> None:
        text, extraction = _parsed(sentence, _Words(self._slots(self._random.random() < 0.5) | dict(bound)))
        self._add(session, text, extraction, reply or self._reply(session, extraction), about)

    def _add(self, session: _Session, text: str, extraction: Extraction, reply: str | None, about: str) -> None:
        session.at += timedelta(minutes=self._random.randint(1, 4))
        id, name, at, speaker = f"{len(self.turns) + 1:05d}", session.name, session.at, session.speaker
        self.turns.append(Said(id, self._day, name, at, speaker, text, extraction, reply, about))

    def _reply(self, session: _Session, extraction: Extraction) -> str | None:
        """What the assistant answers; sometimes nothing, sometimes somebody to ask, who may be taken up."""
        draw = self._random.random()
        if draw < 0.2:
            return None
        if draw < 0.23 and session.speaker == "Ana":
            session.offered = self._once(words.FIRST, words.LAST)
            return f"You could ask {session.offered} about that."
        first = extraction.concepts[0] if extraction.concepts else ExtractedConcept("my")
        x = first.label if first.kind == "name" or session.speaker == "Luis" else f"the {first.label}"
        among: Sequence[str] = topics.RESPUESTAS if session.speaker == "Luis" else topics.REPLIES
        if first.label.startswith(("my", "mi ")):
            among = tuple(reply for reply in among if "{x}" not in reply)
        return self._random.choice(among).format(x=x)

    def _slots(self, unique: bool) -> _Words:
        """Fresh words for every slot; `unique`: things that were never mentioned before."""
        pick = self._random.choice
        cents = pick((0, 0, 0, 50, 95))
        price = f"{self._random.randint(2, 90)}" + (f".{cents}" if cents else "")
        return _Words(
            {
                "thing": self._once(words.QUALITIES, words.THINGS) if unique else pick(words.THINGS),
                "cosa": self._once(words.COSAS, words.CUALIDADES) if unique else pick(words.COSAS),
                "person": self._once(words.FIRST, words.LAST),
                "place": pick(words.PLACES),
                "sitio": pick(words.SITIOS),
                "town": pick(words.TOWNS),
                "dish": pick(words.DISHES),
                "animal": pick(words.ANIMALS),
                "price": f"{price} euros",
                "precio": f"{self._random.randint(2, 90)} euros",
                "time": f"{self._random.randint(8, 20)}:{self._random.randrange(0, 60, 5):02d}",
                **{slot: pick(labels) for slot, labels in topics.SAME.items()},
            }
        )

    def _once(self, first: Sequence[str], second: Sequence[str]) -> str:
        """Two words that never stood together before; when all have, any two."""
        for _ in range(200):
            found = f"{self._random.choice(first)} {self._random.choice(second)}"
            if found not in self._used:
                self._used.add(found)
                return found
        return found


def _fill(text: str, bound: Mapping[str, str]) -> str:
    return text.format_map(_Words(bound))


def _value(change: _Change, offset: int) -> str:
    return change.what.values[(change.value + offset) % len(change.what.values)]


def _parsed(sentence: str, slots: Mapping[str, str]) -> tuple[str, Extraction]:
    """The text, and the extraction, of a sentence in the notation of `life_topics`."""
    text, _, stated = sentence.format_map(slots).partition("|")
    labels: dict[str, None] = {}
    relations = []
    for part in filter(None, (part.strip() for part in stated.split(";"))):
        if part.startswith("+"):
            labels[part[1:].strip()] = None
            continue
        source, relation, target = (piece.strip() for piece in part.replace("!>", ">").split(">"))
        target, _, old = (piece.strip() for piece in target.partition("<<"))
        labels |= dict.fromkeys(end for end in (source, target) if not is_first_person(end))
        relations.append(
            ExtractedRelation(source, relation, target, "!>" in part, Replaced(relation, old) if old else False)
        )
    concepts = tuple(ExtractedConcept(label, _kind(label)) for label in labels)
    return text.strip(), Extraction(concepts, tuple(relations))


def _kind(label: str) -> Any:
    """Digits make a value, a capital a name, all else is a concept."""
    if any(char.isdigit() for char in label):
        return "value"
    return "name" if label[0].isupper() else "concept"


def _evenly(probes: Sequence[Probe], most: int) -> list[Probe]:
    """At most `most` of them, evenly over their order."""
    if len(probes) <= most:
        return list(probes)
    return [probes[i * len(probes) // most] for i in range(most)]


def main() -> None:
    """Print a life."""
    parser = argparse.ArgumentParser(description="A scripted life, as JSON lines.")
    parser.add_argument("--turns", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for line in lines(live(arguments.turns, arguments.seed)):
        print(line)


if __name__ == "__main__":
    main()
