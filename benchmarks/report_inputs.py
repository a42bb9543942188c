"""What `evaluation_report.py` reads: the results of every measurement by file name, each checked to be what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from oroi_graph.errors import InputError

Kind = Literal["evaluation", "ablation", "dates", "windows", "latency", "throughput"]
Use = Literal["development", "sealed"]
Results = Mapping[str, Any]

_KEYS: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {
        "evaluation": ("dataset", "n", "embedder", "seed", "conditions", "comparisons"),
        "ablation": ("dataset", "n", "embedder", "seed", "conditions", "comparisons", "ablations"),
        "dates": ("dataset", "n", "seed", "overall", "languages", "kinds", "misses"),
        "windows": ("dataset", "n", "embedder", "seed", "dialogues", "chosen", "conditions"),
        "latency": ("sizes", "goals"),
        "throughput": ("rows", "goals"),
    }
)


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set and its role. development: choices were made with its figures; sealed: measured once, after them."""

    use: Use
    why: str


SETS: Mapping[str, DataSet] = MappingProxyType(
    {
        "scenarios-sealed.jsonl": DataSet("sealed", "Drawn and measured once, after the last choice."),
        "scenarios-final.jsonl": DataSet(
            "development", "It was made as a final seed, but decisions about recall cite its figures."
        ),
        "scenarios-dev.jsonl": DataSet("development", "Recall and the offline extractor were developed on it."),
        "natural-sealed.jsonl": DataSet(
            "development",
            "Put aside at first; decisions 1422 and 1942 were kept on its figures, and the trees are fitted on it.",
        ),
        "natural-later.jsonl": DataSet(
            "sealed",
            "Written and first measured after decision 1968, again after 1970, 1972 to 1979, 1984, 1985 and 1987;"
            " nothing was chosen on it.",
        ),
        "natural-fresh.jsonl": DataSet(
            "sealed",
            "Written before decision 1970, measured after it, 1972 to 1979, 1984, 1985 and 1987. What was tried"
            " because of its figures was dropped, on development sets.",
        ),
        "natural-unseen.jsonl": DataSet(
            "sealed",
            "Written while the networks of decision 1972 were fitted on others; measured after it, 1973 to 1979,"
            " 1984, 1985 and 1987.",
        ),
        "natural-work.jsonl": DataSet(
            "development", "The weight of networks was chosen on it (decision 1970); then they were fitted on it, too."
        ),
        "natural-dev.jsonl": DataSet(
            "development", "The weights of relevance are fitted on it, and the confidence of relations on its turns."
        ),
        "newcomers-dev.jsonl": DataSet(
            "development", "Rules of decision 1962 were chosen on it, and the trees of relevance are fitted on it."
        ),
        "newcomers-later.jsonl": DataSet(
            "development",
            "Its figures had been seen when decision 1965 was taken; the trees of relevance are fitted on it.",
        ),
        "newcomers-passing.jsonl": DataSet(
            "development", "Decision 1968 was taken on its figures; the trees of relevance are fitted on it."
        ),
        "newcomers-sealed.jsonl": DataSet(
            "development",
            "Put aside before decision 1962; since 1964 choices were made on it, and the trees are fitted on it.",
        ),
        "newcomers-unseen.jsonl": DataSet(
            "sealed",
            "Measured for decision 1979, which chose nothing on it and says what else was measured, and after 1984,"
            " 1985 and 1987.",
        ),
        "updates-dev.jsonl": DataSet(
            "development",
            "Weights and thresholds of decision 1964 were chosen on it, and the trees of relevance are fitted on it.",
        ),
        "updates-sealed.jsonl": DataSet(
            "development",
            "Put aside before decision 1964; since then choices were made on it, and the trees are fitted on it.",
        ),
        "authored-unseen.jsonl": DataSet(
            "development", "No rule was written for it, but decisions cite its figures, and the trees are fitted on it."
        ),
        "authored.jsonl": DataSet("development", "Recall was tuned on it."),
        "long-final.jsonl": DataSet("development", "A decision about recall cites its figures."),
        "past-final.jsonl": DataSet(
            "development", "It has the templates and words of the final seed, which guided choices."
        ),
        "hubs-final.jsonl": DataSet(
            "development", "It has the templates and words of the final seed, which guided choices."
        ),
        "past-dev.jsonl": DataSet("development", "Recall was developed on it."),
        "hubs-dev.jsonl": DataSet("development", "The rules about hubs were developed on it."),
        "LOCOMO.json": DataSet("development", "Five conversations; the weights of the ranker are fitted on them."),
        "dates_last.jsonl": DataSet(
            "sealed", "Written and read once, after the last change of a rule; nothing was changed because of it."
        ),
        "dates_dev.jsonl": DataSet("development", "The rules were written with it."),
        "CORPUS.jsonl": DataSet("development", "Fifty questions; one weight of the ranker was chosen on them."),
    }
)


NEWEST = "1987"  # the last decision about what is read, ranked or enters a brief
# Of measurements that were not repeated since, the last such decision before each; FIRST: before they were numbered.
FIRST = "before 0601"
_OLDER: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        FIRST: (
            "scenarios-gold-final", "scenarios-offline-final", "long", "past", "hubs", "ablations-scenarios",
            "ablations-authored", "ablations-hubs", "ablations-offline", "ablations-locomo", "ablations-musique",
        ),
        "1422": ("scenarios-gold-sealed", "scenarios-offline-sealed"),
        "1472": ("dates-last", "windows-101"),
        "1840": ("windows-102", "windows-locomo"),
        "1977": ("scenarios-natural-offline", "scenarios-natural-sealed-offline"),
        "1979": (
            "scenarios-natural", "scenarios-natural-sealed", "newcomers-dev", "newcomers-sealed",
            "scenarios-offline-dev", "scenarios-authored-offline", "past-dev", "hubs-dev", "locomo", "musique",
        ),
        "1985": (
            "chosen-natural", "chosen-natural-sealed", "chosen-natural-unseen", "chosen-natural-fresh",
            "chosen-natural-later", "chosen-newcomers-unseen", "latency", "throughput",
        ),
        "1968": (
            "newcomers-later", "newcomers-passing", "updates-dev", "updates-sealed", "scenarios-gold-dev",
            "scenarios-authored-unseen", "scenarios-authored", "scenarios-authored-unseen-offline", "locomo-facts",
            "dates-dev", "windows-1",
        ),
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Input:
    """One file of the results folder. command: what writes it; setting: what its JSON must say of itself.

    drawn: the role of data that the command draws by itself.
    """

    stem: str
    title: str
    kind: Kind
    command: str
    setting: Mapping[str, Any] = field(default_factory=dict, hash=False)
    drawn: DataSet | None = None

    @property
    def data(self) -> DataSet | None:
        """The data set that the command reads or draws; None for benchmarks of time and for files of unknown origin."""
        return self.drawn or next(
            (SETS[name] for word in self.command.split() if (name := word.rpartition("/")[2]) in SETS), None
        )

    @property
    def after(self) -> str:
        """The last decision about recall that the measured code had; "" for files of unknown origin."""
        if all(self.stem != known.stem for known in INPUTS):
            return ""
        return next((decision for decision, stems in _OLDER.items() if self.stem in stems), NEWEST)

    @property
    def file(self) -> str:
        """Its name in the folder."""
        return f"{self.stem}.json"


def _ablations(stem: str, title: str, given: str, **setting: str) -> Input:
    command = f"python benchmarks/ablations.py {given}"
    return Input(stem, f"Ablations: {title}", "ablation", command, {"dataset": given.split()[0], **setting})


def _scenarios(stem: str, title: str, file: str, extraction: str) -> Input:
    command = f"oroi evaluate scenarios {file} --extraction {extraction}"
    return Input(stem, title, "evaluation", command, {"dataset": "scenarios", "extraction": extraction})


def _chosen(stem: str, title: str, file: str, extraction: str) -> Input:
    """Scenarios whose records a language model chose, as it was recorded (decision 1985)."""
    given = _scenarios(stem, f"{title}, a model chooses", file, extraction)
    command = f"OROI_RERANKER=openai OROI_CHAT_MODEL=language-model {given.command} --replay choices.jsonl"
    return replace(given, command=command)


_ONCE = DataSet("sealed", "A seed that was drawn and measured once, after the last choice.")
_SEEDS_OF_WINDOWS: Mapping[int, DataSet] = MappingProxyType(
    {
        1: DataSet("development", "Decision 1640 was made with it."),
        101: _ONCE,
        102: _ONCE,
    }
)


def _windows() -> Iterator[Input]:
    for seed, drawn in _SEEDS_OF_WINDOWS.items():
        command = f"oroi evaluate windows --seed {seed}"
        setting = {"dataset": "windows", "seed": seed}
        yield Input(f"windows-{seed}", f"Dialogues by time and theme, seed {seed}", "windows", command, setting, drawn)
    yield Input(
        "windows-locomo",
        "LoCoMo's sessions by time and theme",
        "windows",
        "oroi evaluate windows --locomo LOCOMO.json",
        {"dataset": "windows-locomo"},
    )


INPUTS: tuple[Input, ...] = (
    _scenarios(
        "scenarios-natural-sealed",
        "Natural scenarios, put aside, extractions as by a model",
        "natural-sealed.jsonl",
        "gold",
    ),
    _scenarios(
        "scenarios-natural-sealed-offline",
        "Natural scenarios, put aside, offline extractor",
        "natural-sealed.jsonl",
        "offline",
    ),
    _scenarios(
        "scenarios-natural", "Natural scenarios, development, extractions as by a model", "natural-dev.jsonl", "gold"
    ),
    _scenarios(
        "scenarios-natural-offline", "Natural scenarios, development, offline extractor", "natural-dev.jsonl", "offline"
    ),
    _scenarios("scenarios-natural-later", "Natural conversations, later, offline", "natural-later.jsonl", "offline"),
    _scenarios("scenarios-natural-fresh", "Natural conversations, fresh, offline", "natural-fresh.jsonl", "offline"),
    _scenarios("scenarios-natural-unseen", "Natural conversations, unseen, offline", "natural-unseen.jsonl", "offline"),
    _chosen("chosen-natural", "Natural scenarios, development, as by a model", "natural-dev.jsonl", "gold"),
    _chosen("chosen-natural-sealed", "Natural scenarios, put aside, as by a model", "natural-sealed.jsonl", "gold"),
    _chosen("chosen-natural-unseen", "Natural conversations, unseen, offline", "natural-unseen.jsonl", "offline"),
    _chosen("chosen-natural-fresh", "Natural conversations, fresh, offline", "natural-fresh.jsonl", "offline"),
    _chosen("chosen-natural-later", "Natural conversations, later, offline", "natural-later.jsonl", "offline"),
    _chosen("chosen-newcomers-unseen", "Newcomers, unseen, offline extractor", "newcomers-unseen.jsonl", "offline"),
    _scenarios("newcomers-dev", "Newcomers, development, offline extractor", "newcomers-dev.jsonl", "offline"),
    _scenarios("newcomers-sealed", "Newcomers, once sealed, offline extractor", "newcomers-sealed.jsonl", "offline"),
    _scenarios("newcomers-later", "Newcomers, later, offline extractor", "newcomers-later.jsonl", "offline"),
    _scenarios("newcomers-passing", "Newcomers, told in passing, offline", "newcomers-passing.jsonl", "offline"),
    _scenarios("newcomers-unseen", "Newcomers, unseen, offline extractor", "newcomers-unseen.jsonl", "offline"),
    _scenarios("updates-dev", "What changes, development, offline extractor", "updates-dev.jsonl", "offline"),
    _scenarios("updates-sealed", "What changes, once sealed, offline extractor", "updates-sealed.jsonl", "offline"),
    _scenarios("scenarios-gold-sealed", "Scenarios, sealed seed, gold extraction", "scenarios-sealed.jsonl", "gold"),
    _scenarios(
        "scenarios-offline-sealed", "Scenarios, sealed seed, offline extractor", "scenarios-sealed.jsonl", "offline"
    ),
    _scenarios("scenarios-gold-final", "Scenarios, final seed, gold extraction", "scenarios-final.jsonl", "gold"),
    _scenarios(
        "scenarios-offline-final", "Scenarios, final seed, offline extractor", "scenarios-final.jsonl", "offline"
    ),
    _scenarios("scenarios-gold-dev", "Scenarios, development seed, gold extraction", "scenarios-dev.jsonl", "gold"),
    _scenarios(
        "scenarios-offline-dev", "Scenarios, development seed, offline extractor", "scenarios-dev.jsonl", "offline"
    ),
    _scenarios(
        "scenarios-authored-unseen", "Authored scenarios, unseen, gold extraction", "authored-unseen.jsonl", "gold"
    ),
    _scenarios("scenarios-authored", "Authored scenarios, tuned on, gold extraction", "authored.jsonl", "gold"),
    _scenarios(
        "scenarios-authored-unseen-offline",
        "Authored scenarios, unseen, offline extractor",
        "authored-unseen.jsonl",
        "offline",
    ),
    _scenarios(
        "scenarios-authored-offline", "Authored scenarios, tuned on, offline extractor", "authored.jsonl", "offline"
    ),
    _scenarios("long", "Long scenarios, gold extraction", "long-final.jsonl", "gold"),
    _scenarios("past", "What was true before, gold extraction", "past-final.jsonl", "gold"),
    _scenarios("hubs", "Over a hub, gold extraction", "hubs-final.jsonl", "gold"),
    _scenarios("past-dev", "What was true before, development seed, gold extraction", "past-dev.jsonl", "gold"),
    _scenarios("hubs-dev", "Over a hub, development seed, gold extraction", "hubs-dev.jsonl", "gold"),
    Input(
        "locomo",
        "LoCoMo, the turns alone",
        "evaluation",
        "oroi evaluate locomo LOCOMO.json",
        {"dataset": "locomo", "facts": False},
    ),
    Input(
        "locomo-facts",
        "LoCoMo with the data set's observations",
        "evaluation",
        "oroi evaluate locomo LOCOMO.json --facts",
        {"dataset": "locomo", "facts": True},
    ),
    Input(
        "musique",
        "MuSiQue with recorded OpenIE",
        "evaluation",
        "oroi evaluate musique CORPUS.jsonl QUESTIONS.jsonl",
        {"dataset": "musique"},
    ),
    _ablations("ablations-scenarios", "authored scenarios, unseen", "scenarios authored-unseen.jsonl"),
    _ablations("ablations-authored", "authored scenarios, tuned on", "scenarios authored.jsonl --only NAME…"),
    _ablations("ablations-hubs", "development seed, over a hub", "scenarios hubs-dev.jsonl --only NAME…"),
    _ablations(
        "ablations-offline",
        "development seed, offline extractor",
        "scenarios scenarios-dev.jsonl --extraction offline --only NAME…",
        extraction="offline",
    ),
    _ablations("ablations-locomo", "LoCoMo", "locomo LOCOMO.json --reading"),
    _ablations("ablations-musique", "MuSiQue", "musique CORPUS.jsonl QUESTIONS.jsonl --reading"),
    Input(
        "dates-last",
        "Times in questions, last questions",
        "dates",
        "oroi evaluate dates benchmarks/labels/dates_last.jsonl",
        {"dataset": "dates"},
    ),
    Input(
        "dates-dev",
        "Times in questions, development",
        "dates",
        "oroi evaluate dates dates_dev.jsonl",
        {"dataset": "dates"},
    ),
    *_windows(),
    Input("latency", "Latency", "latency", "python benchmarks/latency.py --sizes 1000 10000 100000 --samples 60"),
    Input("throughput", "Throughput", "throughput", "python benchmarks/throughput.py --agents 8 --processes 1 2"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder holds: results by input, in the order of INPUTS (others after them), and what is missing."""

    results: Mapping[Input, Results]
    missing: tuple[Input, ...]
    unused: tuple[str, ...]

    def of(self, kind: Kind) -> dict[Input, Results]:
        """Those of one kind."""
        return {given: results for given, results in self.results.items() if given.kind == kind}

    def get(self, stem: str) -> Results | None:
        """The results of one file, None if it was not measured."""
        return next((results for given, results in self.results.items() if given.stem == stem), None)


def read(folder: Path) -> Found:
    """The results of a folder. Other evaluations in it (`oroi evaluate … --json`) are taken under their own names.

    Raises InputError for a folder without any result, and for a file that is not what its name says.
    """
    files = {path.stem: path for path in sorted(folder.glob("*.json"))}
    results: dict[Input, Results] = {}
    for given in INPUTS:
        if given.stem in files:
            results[given] = _checked(given, _loaded(files.pop(given.stem)))
    unused = []
    for stem, path in files.items():
        data = _loaded(path)
        other = Input(stem, stem.replace("-", " ").capitalize(), "evaluation", "oroi evaluate")
        if "ablations" not in data and set(_KEYS["evaluation"]) <= set(data):
            results[other] = data
        else:
            unused.append(path.name)
    if not results:
        raise InputError(f"no results in {folder}: see --help for the names of the files and what writes them")
    return Found(results, tuple(given for given in INPUTS if given not in results), tuple(unused))


def _loaded(path: Path) -> Results:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    if not isinstance(data, Mapping):
        raise InputError(f"{path.name} holds no results: expected a JSON object")
    return data


def _checked(given: Input, data: Results) -> Results:
    lacking = [key for key in _KEYS[given.kind] if key not in data]
    if lacking:
        raise InputError(f"{given.file} has no {lacking[0]!r}: it must be what `{given.command} --json` writes")
    for key, value in given.setting.items():
        if data.get(key) != value:
            raise InputError(f"{given.file} is of another run: its {key!r} is {data.get(key)!r}, not {value!r}")
    return data
