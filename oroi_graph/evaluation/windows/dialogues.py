"""The data of the evaluation: dialogues with a day each, and questions about some of them.

Generated from topics (`dialogues.toml`) with a seed, or from the sessions of a LoCoMo file, re-dated to a day each. The
same seed gives the same data.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.locomo import read_conversations
from oroi_graph.evaluation.windows.phrases import FURTHEST, KINDS, Phrase, phrase
from oroi_graph.model import TurnInput
from oroi_graph.transfer.conversation_file import Scripted
from oroi_graph.windows import Window

TODAY = date(2025, 3, 4)  # the day of asking; the first dialogue is of the day before
DIALOGUES = 1_000
FOLDS = {"models": 13, "choice": 13, "test": 25}
WRONG = {"models": 2, "choice": 2, "test": 4}  # questions of each fold that name a time of another dialogue
SPEAKER, ASSISTANT = "Ana", "Assistant"
_LANGUAGES = ("en", "es", "pt", "en")  # half of the dialogues are in English
_TRIES = 400


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue. name: of its session. lines: (speaker, text). fields: the words that were filled in."""

    name: str
    day: date
    language: str
    lines: tuple[tuple[str, str], ...]
    topic: int
    fields: Mapping[str, str]

    @property
    def text(self) -> str:
        """All that was said."""
        return "\n".join(text for _, text in self.lines)


@dataclass(frozen=True, slots=True)
class WindowQuestion:
    """One question. target: the dialogue that is meant. right_time: whether the time that it names is the target's."""

    id: str
    fold: str
    language: str
    text: str
    target: str
    answer: str
    kind: str
    window: Window
    right_time: bool


@dataclass(frozen=True, slots=True)
class WindowData:
    """Dialogues, newest last, and questions by fold."""

    name: str
    dialogues: tuple[Dialogue, ...]
    questions: tuple[WindowQuestion, ...]

    def turns(self) -> list[Scripted]:
        """The dialogues as turns of one conversation, at noon of their days, a minute apart."""
        return [
            Scripted(
                TurnInput(
                    text,
                    f"{one.name}:{i}",
                    speaker,
                    "assistant" if speaker == ASSISTANT else "user",
                    datetime.combine(one.day, time(12, i % 60), UTC),
                    one.name,
                )
            )
            for one in self.dialogues
            for i, (speaker, text) in enumerate(one.lines)
        ]


def generated(seed: int, n: int = DIALOGUES) -> WindowData:
    """`n` dialogues of the days before TODAY. Raises InputError for fewer than are asked about."""
    if n < 200:
        raise InputError(f"the evaluation needs 200 dialogues at least, got {n}")
    draw = random.Random(seed)  # noqa: S311 - data of an evaluation, no secret
    topics = tomllib.loads((files(__package__) / "dialogues.toml").read_text(encoding="utf-8"))
    days = [TODAY - timedelta(days=i + 1) for i in range(n)]
    dialogues = []
    for i, day in enumerate(reversed(days)):
        language = draw.choice(_LANGUAGES)
        table = topics[language]
        topic = draw.randrange(len(table["topics"]))
        fields = {slot: draw.choice(words) for slot, words in table["slots"].items()}
        lines = [line.format(**fields) for line in table["topics"][topic]["lines"]]
        said = tuple((ASSISTANT if j % 2 else SPEAKER, _capital(line)) for j, line in enumerate(lines))
        dialogues.append(Dialogue(f"d{i + 1:04d}", day, language, said, topic, fields))
    return WindowData("windows", tuple(dialogues), tuple(_Asker(dialogues, draw, topics).ask()))


class _Asker:
    """Makes the questions: of each fold one kind of time after the other, about dialogues that nothing else fits."""

    def __init__(self, dialogues: Sequence[Dialogue], draw: random.Random, topics: Mapping[str, Any]) -> None:
        self._dialogues, self._draw, self._topics = dialogues, draw, topics
        self._asked: set[str] = set()
        self._kinds = 0

    def ask(self) -> list[WindowQuestion]:
        """The questions of all folds."""
        found = []
        for fold, n in FOLDS.items():
            wrong = set(self._draw.sample(range(n), WRONG[fold]))
            found += [self._question(f"{fold}-{i + 1:02d}", fold, i not in wrong) for i in range(n)]
        return found

    def _question(self, id: str, fold: str, right: bool) -> WindowQuestion:
        for trial in range(_TRIES):
            # Kinds take turns; of "yesterday" and the like there are only few days.
            kind = KINDS[self._kinds % len(KINDS)] if trial < _TRIES // 8 else self._draw.choice(KINDS)
            language = self._draw.choice(_LANGUAGES)
            time = phrase(kind, language, TODAY, self._draw)
            among = [one for one in self._dialogues if self._may_be_meant(one, language, time, right)]
            if not among:
                continue
            target = self._draw.choice(among)
            topic = self._topics[language]["topics"][target.topic]
            asked = self._draw.choice(topic["asked"]) if right else topic["claim"]
            if self._fits_another(target, asked, time, right):
                continue
            self._asked.add(target.name)
            self._kinds += 1
            text = _capital(asked.format(**target.fields, time=time.text))
            answer = _capital(topic["answer"].format(**target.fields))
            return WindowQuestion(id, fold, language, text, target.name, answer, kind, time.window, right)
        raise InputError("no question can be made of these dialogues: give another seed")

    def _may_be_meant(self, one: Dialogue, language: str, time: Phrase, right: bool) -> bool:
        return one.language == language and one.name not in self._asked and (one.day in time.window) == right

    def _fits_another(self, target: Dialogue, asked: str, time: Phrase, right: bool) -> bool:
        """Whether the question also fits another dialogue: of its time, or if that is wrong, of any."""
        named = [slot for slot in target.fields if f"{{{slot}}}" in asked]
        return any(
            other.name != target.name
            and (other.language, other.topic) == (target.language, target.topic)
            and all(other.fields[slot] == target.fields[slot] for slot in named)
            and (not right or other.day in time.window)
            for other in self._dialogues
        )


def of_locomo(path: Path, seed: int) -> WindowData:
    """The sessions of LoCoMo's conversations, each on a day of its own, and questions whose evidence is one session.

    A time is put behind each question. Raises InputError for a file that is not LoCoMo's, or has too few questions.
    """
    draw = random.Random(seed)  # noqa: S311 - data of an evaluation, no secret
    dataset = read_conversations(path)
    sessions: dict[str, list[Scripted]] = {}
    of_turn: dict[str, str] = {}
    for case in dataset.cases:
        for scripted in case.turns:
            name = f"{case.name} {scripted.turn.session}"
            sessions.setdefault(name, []).append(scripted)
            of_turn[scripted.turn.id] = name
    order = list(sessions)
    draw.shuffle(order)
    days = sorted(draw.sample(range(1, FURTHEST + 1), len(order)), reverse=True)
    dialogues = [
        Dialogue(
            name, TODAY - timedelta(days=ago), "en", tuple((s.turn.speaker, s.turn.text) for s in sessions[name]), 0, {}
        )
        for name, ago in zip(order, days, strict=True)
    ]
    by_name = {one.name: one for one in dialogues}
    asked = [q for case in dataset.cases for q in case.questions if q.groups[0] == "4" and len(q.evidence) == 1]
    draw.shuffle(asked)
    if len(asked) < sum(FOLDS.values()):
        raise InputError(
            f"{path.name} has {len(asked)} questions with evidence in one turn: {sum(FOLDS.values())} needed"
        )
    questions = []
    for fold, n in FOLDS.items():
        wrong = set(draw.sample(range(n), WRONG[fold]))
        for i in range(n):
            question = asked.pop()
            target = by_name[of_turn[question.evidence[0]]]
            said = _time_of(target.day, i not in wrong, draw)
            text = f"{question.text.rstrip(' ?')}, as we said {said.text}?"
            questions.append(
                WindowQuestion(
                    f"{fold}-{i + 1:02d}", fold, "en", text, target.name, "", said.kind, said.window, i not in wrong
                )
            )
    return WindowData("windows-locomo", tuple(dialogues), tuple(questions))


def _time_of(day: date, right: bool, draw: random.Random) -> Phrase:
    """A time in English that a day is in, or is not."""
    while True:
        found = phrase(draw.choice(KINDS), "en", TODAY, draw)
        if (day in found.window) == right:
            return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
