"""Which records answer "What should I keep in mind for the trip?": those that were to be remembered.

Whoever asks that wants all of it in few words, so these records come first, and all of them are told shortly where the
budget is small (`recall/ranking/essence`). The first request about a thing says what it is; later ones about the same
thing ("and don't let me forget the wheelchair!") come behind all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import chain

from oroi_graph.language.dates import DAY_NAMES
from oroi_graph.language.lexicons.tables import LANGUAGES, common_words
from oroi_graph.language.quoting import quoted
from oroi_graph.language.stemming import content_words
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import RecordHit
from oroi_graph.recall.question import Question
from oroi_graph.recall.ranking.essence import essence, excerpted
from oroi_graph.recall.ranking.kept_texts import line_cost, stems_of
from oroi_graph.recall.ranking.stressed import was_to_be_remembered
from oroi_graph.recall_options import Selection

_FEW = 3, 1 / 8  # records, and share of them, in which a word may be said again to stand for a thing
_SHORTEST = 3  # characters of such a word
_LEAST = 12  # tokens that say anything; twice as many may stand behind a date and a name


@dataclass(frozen=True, slots=True)
class Reminders:
    """Records that were to be remembered, in the order in which they enter.

    once: one about each thing; more: those that ask again for one of them, behind all others. again: stems that records
    say again.
    """

    once: tuple[RecordHit, ...] = ()
    more: tuple[RecordHit, ...] = ()
    again: frozenset[str] = frozenset()

    @property
    def records(self) -> tuple[RecordHit, ...]:
        """All of them."""
        return (*self.once, *self.more)

    def __or__(self, other: Reminders) -> Reminders:
        """Those of two questions."""
        once = {record.id: record for record in (*self.once, *other.once)}
        more = {record.id: record for record in (*self.more, *other.more) if record.id not in once}
        return Reminders(tuple(once.values()), tuple(more.values()), self.again | other.again)

    def behind(self, chosen: Sequence[RecordHit]) -> Reminders:
        """The same behind records that a model chose; none where none were asked for."""
        if not self.once:
            return self
        ids = {record.id for record in chosen}
        rest = tuple(record for record in self.records if record.id not in ids)
        return Reminders(tuple(chosen), rest, self.again)

    def lines(
        self, whole: Iterable[str], room: int, language: str, excerpts: Mapping[str, str]
    ) -> list[tuple[RecordHit, str]]:
        """The records that `room` tokens hold, each with its line of a brief.

        whole: the lines of all where there is room. Where there is not, one record about each thing enters, as many as
        there is room for, and the longer ones are cut to what was to be remembered, with day and speaker only if
        enough is left for that. excerpts: {id: words of a record that tell what is needed of it}, if a model said so.
        """
        lines = list(zip(self.records, whole, strict=True))
        if sum(line_cost(line) for _, line in lines) <= room:
            return lines
        several = len({record.speaker for record in self.once}) > 1
        entering = lines[: min(len(self.once), max(1, room // (line_cost('""') + _LEAST)))]
        order = list(range(len(entering)))
        if excerpts:  # the shortest first: what they leave is for those that want more
            order.sort(key=lambda i: count_tokens(excerpts.get(entering[i][0].id, entering[i][0].text)))
        told: dict[int, str] = {}
        for left, i in zip(range(len(entering), 0, -1), order, strict=True):
            record, line = entering[i]
            said = line
            if line_cost(line) > room // left:
                needed = excerpted(record.text, excerpts.get(record.id, "")) or quoted(record.text)
                who = f"{quoted(record.speaker)}: " if several else ""
                said = self._cut(line, needed, room // left, language, who)
            if said and line_cost(said) <= room:
                room -= line_cost(said)
                told[i] = said
        return [(entering[i][0], told[i]) for i in sorted(told)]

    def _cut(self, line: str, needed: str, most: int, language: str, who: str) -> str:
        """A record's line with what is needed of it in at most so many tokens; "" if nothing fits. who: speaks."""
        head = line[: line.index('"')]
        if most - line_cost(f'{head}""') < 2 * _LEAST:
            head = who
        told = essence(needed, most - line_cost(f'{head}""'), language, self.again)
        return f'{head}"{told}"' if told else ""


def reminders(
    question: Question, valid: Sequence[RecordHit], probability: Mapping[str, float], options: Selection
) -> Reminders:
    """What was to be remembered among the records that hold; nothing if the question does not ask for it.

    The likeliest first, as long as one is not much less likely than the first.
    """
    if not question.reminding:
        return Reminders()
    language = question.language
    said = [record for record in valid if record.role != "assistant"]
    told = {record.id: _things(record.text, language) - question.stems for record in said}
    times = Counter(chain.from_iterable(told.values()))
    few = max(_FEW[0], int(len(said) * _FEW[1]))
    again = frozenset(stem for stem, n in times.items() if 1 < n <= few)
    asked = [record for record in said if was_to_be_remembered(record.text, language)]
    asked.sort(key=lambda record: (-probability[record.id], record.id))
    least = options.faint * max((probability[record.id] for record in asked), default=0.0)
    first: list[RecordHit] = []
    later: list[RecordHit] = []
    for record in asked:
        if probability[record.id] < least:
            break
        things = told[record.id] & again
        same = next((i for i, one in enumerate(first) if _same(told[one.id] & again, things)), None)
        if same is None:
            first.append(record)
        elif record.turn < first[same].turn:
            later.append(first[same])
            first[same] = record
        else:
            later.append(record)
    return Reminders(tuple(first), tuple(later), again)


def _same(one: Set[str], other: Set[str]) -> bool:
    """Whether two records say mostly the same of what is said again."""
    return bool(one) and 2 * len(one & other) > len(one | other)


def _things(text: str, language: str) -> frozenset[str]:
    """Stems of a text that may stand for things: no frequent words, numbers or days."""
    said = stems_of(text, language).distinct - _frequent(language)
    return frozenset(stem for stem in said if len(stem) >= _SHORTEST and not any(map(str.isdigit, stem)))


@cache
def _frequent(language: str) -> frozenset[str]:
    frequent = " ".join(common_words(language if language in LANGUAGES else "en"))
    return frozenset(content_words(f"{frequent} {DAY_NAMES.replace('|', ' ')}", language))
