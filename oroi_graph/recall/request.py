"""What recall is asked and what it brings back: plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field
from datetime import UTC, date, datetime
from typing import Any, get_args

from oroi_graph.errors import InputError
from oroi_graph.model import Brief, Fact, LeftOut, Reason, RecordHit, RecordKind
from oroi_graph.providers.protocols import Embedder, Extractor, RelevanceFilter, Reranker
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.storage.arguments import check_time
from oroi_graph.windows import WindowReading, read_windows
from oroi_graph.windows.by_model import WindowReader
from oroi_graph.working_set.candidates import Candidate

_KINDS: tuple[str, ...] = get_args(RecordKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which records may be recalled; None is any. `since` and `until` are ISO dates or times,
    until exclusive; a date is a day where the record was made, a time without an offset is UTC. `kind`: episode, entry
    (of a memory contract) or note (of a workspace)."""

    session: str | None = None
    speaker: str | None = None
    since: str | None = None
    until: str | None = None
    kind: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in (None, *_KINDS):
            raise InputError(f"the kind of record must be one of {', '.join(_KINDS)}, got {self.kind!r}")
        for name in ("since", "until"):
            value = getattr(self, name)
            if value is not None:
                try:
                    object.__setattr__(self, name, _canonical(value))
                except ValueError as error:
                    raise InputError(f"{name} must be an ISO date like 2026-03-01, got {value!r}") from error

    def __bool__(self) -> bool:
        return any((self.session, self.speaker, self.since, self.until, self.kind))

    def admit(self, record: Candidate) -> bool:
        """Whether a record passes."""
        kind = "entry" if record.entry is not None else "note" if record.note is not None else "episode"
        return self.passes(record.session, record.speaker, record.at, kind)

    def passes(self, session: str | None, speaker: str, at: str | None, kind: str) -> bool:
        """Whether a record of this session, speaker, time and kind passes; one without a time passes none of time."""
        at = at or ""
        return (
            (self.session is None or session == self.session)
            and (self.speaker is None or speaker == self.speaker)
            and (self.kind is None or kind == self.kind)
            and (self.since is None or (bool(at) and not _before(at, self.since)))
            and (self.until is None or (bool(at) and _before(at, self.until)))
        )


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question to a memory.

    speaker: whom "I" and "my" mean. protagonists: the memory's speakers. at: the moment of asking. budget: tokens of
    the brief, None for the options'. exclude: a turn and record ids that the model has before its eyes. turn: whether
    the text is a turn that may ask nothing: then its times count only if it asks, or speaks of what was said. profile:
    whether the text names what all is to be told about. traced: whether what was activated is kept, for `trace`.
    """

    text: str
    _: KW_ONLY
    speaker: str
    protagonists: tuple[str, ...] = ()
    at: datetime | None = None
    filters: Filters = field(default_factory=Filters)
    budget: int | None = None
    exclude: tuple[int, frozenset[str]] | None = None
    turn: bool = False
    profile: bool = False
    traced: bool = False

    def __post_init__(self) -> None:
        if self.budget is not None and self.budget < 1:
            raise InputError(f"the budget must be at least 1 token, got {self.budget}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Who reads questions and what they find.

    extractor: the offline one. windows: of times that a question names. relevance: a model that says which sessions
    answer a question about a time; reranker: one that says which records answer any other; None: the probabilities
    decide alone.
    """

    embedder: Embedder
    extractor: Extractor
    windows: WindowReader = read_windows
    relevance: RelevanceFilter | None = None
    reranker: Reranker | None = None


@dataclass(frozen=True, slots=True)
class WindowContents:
    """What the time windows of a question held, beside what recall found by meaning.

    reading: the windows, with the words and rules they were read from. records, sessions: what was said in them and is
    recalled; rests: records that sleep took off the recall path. facts: associations that date something in them.
    found: the sessions' names, or the ISO day of what has none.
    kept: sessions that a model found relevant, of how many; None if no model was asked. failure: why one had no say.
    """

    reading: WindowReading
    records: int
    sessions: int
    rests: int
    facts: int
    found: tuple[str, ...] = field(default=(), repr=False)
    kept: tuple[int, int] | None = None
    failure: str | None = None

    @property
    def alone(self) -> bool:
        """Whether nothing but a time was asked for, so that the brief is a digest."""
        return self.reading.timeless_theme

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        return {
            "expressions": [
                {"text": one.text, "begin": one.begin, "end": one.end, "reason": one.reason,
                 "windows": [window.to_json() for window in one.windows]}
                for one in self.reading.expressions
            ],
            "windows": [window.to_json() for window in self.reading.windows],
            "refers": self.reading.refers,
            "theme": self.reading.theme,
            "digest": self.alone,
            "records": self.records,
            "sessions": self.sessions,
            "rests": self.rests,
            "facts": self.facts,
            "kept": None if self.kept is None else {"sessions": self.kept[0], "of": self.kept[1]},
            "failure": self.failure,
        }  # fmt: skip


class Reasons(Sequence[Reason]):
    """Reasons that are worked out when they are first asked for, as few answers are ever explained.

    Compared, copied and pickled as the tuple that they are. May be shared by threads: two that ask at once both work
    them out, and find the same.
    """

    __slots__ = ("_found", "_work")

    def __init__(self, work: Callable[[], Iterable[Reason]]) -> None:
        """work: pure, and needs no transaction."""
        self._work: Callable[[], Iterable[Reason]] | None = work
        self._found: tuple[Reason, ...] = ()

    def _told(self) -> tuple[Reason, ...]:
        work = self._work
        if work is not None:
            self._found = tuple(work())
            self._work = None  # last: another thread may ask meanwhile
        return self._found

    def __len__(self) -> int:
        return len(self._told())

    def __getitem__(self, index: Any) -> Any:
        return self._told()[index]

    def __eq__(self, other: object) -> bool:
        return self._told() == (other._told() if isinstance(other, Reasons) else other)

    def __hash__(self) -> int:
        return hash(self._told())

    def __repr__(self) -> str:
        return repr(self._told())

    def __reduce__(self) -> tuple[type[tuple[Reason, ...]], tuple[tuple[Reason, ...]]]:
        return tuple, (self._told(),)


@dataclass(frozen=True, slots=True)
class Recall:
    """What came back: the brief for the model, everything ranked behind it, and why.

    reasons: of each item of the brief; left_out: the best-ranked records that are none, and some that may not enter.
    windows: what each time that the question names held; empty if it names none. failure: why a reranker had no say.
    evocations: what each question of the text activated; empty unless asked for (`traced`). redacted: what was taken
    out of the question, counts by kind. silent: of each question of the text, the probability that no record answers
    it, 0..1; 0 where no network reads them.
    """

    question: str
    brief: Brief
    facts: tuple[Fact, ...]
    cues: tuple[Cue, ...]
    reasons: Sequence[Reason]
    ranked: tuple[RecordHit, ...] = field(default=(), repr=False)
    left_out: tuple[LeftOut, ...] = field(default=(), repr=False)
    windows: tuple[WindowContents, ...] = ()
    failure: str | None = None
    evocations: tuple[Evocation, ...] = field(default=(), repr=False, compare=False)
    redacted: Mapping[str, int] = field(default_factory=dict)
    silent: tuple[float, ...] = ()

    def records(self, k: int = 10) -> tuple[RecordHit, ...]:
        """The k best verbatim records of the ranking, whether they entered the brief or not."""
        return self.ranked[:k]

    def explained(self) -> dict[str, Any]:
        """Why each item is in the brief and the best of the other records are not, as a JSON-serialisable object."""
        reasons = [{**asdict(reason), "numbers": dict(reason.numbers)} for reason in self.reasons]
        return {
            "reasons": reasons,
            "left_out": [one.to_json() for one in self.left_out],
            "silent": [round(one, 6) for one in self.silent],
        }

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object; "windows" only if the question names a time, "failure" only if there was one."""
        return {
            "question": self.question,
            "brief": self.brief.text,
            "tokens": self.brief.tokens,
            "cues": [{"span": c.span, "label": c.label, "method": c.method, "weight": c.weight} for c in self.cues],
            "facts": [fact.to_json() for fact in self.facts],
            "records": [record.to_json() for record in self.ranked],
            **({"windows": [one.to_json() for one in self.windows]} if self.windows else {}),
            **({"failure": self.failure} if self.failure is not None else {}),
            **({"redacted": dict(self.redacted)} if self.redacted else {}),
        }


def _canonical(value: str) -> str:
    """A filter's date as YYYY-MM-DD, or its time with an offset (UTC if none is given)."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return check_time("a filter's time", _instant(value)).isoformat()
    check_time("a filter's day", datetime(day.year, day.month, day.day))
    return day.isoformat()


def _before(at: str, limit: str) -> bool:
    """Whether a record's time lies before a filter's; a date is a day where the record was made."""
    return at < limit if len(limit) == len("2026-03-01") else _instant(at) < _instant(limit)


def _instant(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)
