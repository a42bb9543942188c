"""Does surprise find topic shifts? AUROC on labelled streams beside two baselines, run through the real memory.

    python benchmarks/surprise.py [DATA] [--streams 40] [--seed 0] [--json OUT] [--uri URI | --managed DIR]

Every turn of every stream (see `shifts`) goes through `Memory.perceive` and `Turn.close` on a real server, with the
local model and the offline extractor; `Turn.surprise` is what is measured. The baselines use the very vectors that the
memory stored: 1 − cosine to the previous turn, and 1 − cosine to the mean of the last k turns, with the k that
suits this baseline best on the same data. Two more lines are for judging the result, not to be beaten: the
previous turn after centring (the mean of all earlier turns taken off), and the turn's length alone.

The weights of `activation.surprise` are judged by leaving out one conversation at a time: the best of a grid around
them on the other conversations scores the one left out. `grid` is the range of the AUROC over the whole grid.
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import shifts
from numpy.typing import NDArray
from servers import add_arguments, prepare_schema, read_settings, serving
from shifts import Figure, Stream, auroc

from oroi_graph.activation.surprise import Before, Weights, surprise
from oroi_graph.connection import open_embedder
from oroi_graph.errors import InputError, OroiError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.language.tokens import count_tokens
from oroi_graph.memory import Graph
from oroi_graph.perception import decide_facts
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.storage.store import Store

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "locomo_dev.json"
MOST_K = 20  # turns of the longest mean tried
PRIOR = 10.0  # of the centred line, as in `Weights`
RESAMPLES = 2_000
BASELINES = ("previous", "mean")
GRID = tuple(
    Weights(fading=fading, concept=concept, prior=prior, terse=terse)
    for fading, concept, prior, terse in product(
        (0.25, 0.5, 0.75), (0.25, 0.5, 1.0), (5.0, 10.0, 20.0), (1.5, 3.0, 6.0)
    )
)


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """One turn as the memory took it: its surprise, and what the kernel was given."""

    surprise: float
    vector: NDArray[np.float32]
    tokens: int
    before: Before


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The signals of all turns that have a label, of one kind of streams."""

    signals: dict[str, NDArray[np.float64]]
    labels: NDArray[np.bool_]
    groups: tuple[str, ...]
    sources: NDArray[np.str_]
    k: int
    heard: tuple[Heard, ...]


@contextmanager
def _noting() -> Iterator[list[Heard]]:
    """Note what the memory gives to the kernel while it perceives; its result goes on unchanged."""
    noted: list[Heard] = []

    def note(text: NDArray[np.float32], tokens: int, before: Before) -> float:
        value = surprise(text, tokens, before)
        noted.append(Heard(value, text, tokens, before))
        return value

    with patch.object(decide_facts, "surprise", note):
        yield noted


def listen(graph: Graph, stream: Stream) -> list[Heard]:
    """A stream told to a new memory, turn by turn; the memory is deleted again."""
    memory = graph.memory(f"bench-surprise-{uuid.uuid4().hex[:12]}")
    heard = []
    try:
        with _noting() as noted:
            for i, said in enumerate(stream.turns):
                turn = memory.perceive(said.text, speaker=shifts.NAMES[said.who], at=stream.at(i))
                turn.close()
                if turn.number is None:  # the speaker asked not to be stored
                    raise InputError(f"turn {i} of {stream.name} was not stored: {said.text!r}")
                last = noted[-1]
                heard.append(Heard(turn.surprise, last.vector, last.tokens, last.before))
    finally:
        graph.delete(memory.name)
    return heard


def measure(graph: Graph, streams: Sequence[Stream]) -> Measured:
    """Surprise and the other signals of every labelled turn of some streams."""
    rows: list[dict[str, float]] = []
    heard: list[Heard] = []
    for n, stream in enumerate(streams):
        _progress(f"{stream.kind} {n + 1}/{len(streams)}: {len(stream.turns)} turns")
        told = listen(graph, stream)
        vectors = np.array([turn.vector for turn in told], dtype=np.float64)
        asked = [i for i, label in enumerate(stream.labels) if label is not None]
        rows += [{"surprise": told[i].surprise, **_others(stream.turns[i].text, vectors, i)} for i in asked]
        heard += [told[i] for i in asked]
    labelled = [
        (label, group, source)
        for stream in streams
        for label, group, source in zip(stream.labels, stream.groups, stream.sources, strict=True)
        if label is not None
    ]
    labels = np.array([label for label, _, _ in labelled])
    signals = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    k = max(range(2, MOST_K + 1), key=lambda k: auroc(signals[f"mean {k}"], labels))
    signals["mean"] = signals[f"mean {k}"]
    return Measured(
        {name: signals[name] for name in ("surprise", *BASELINES, "centred", "length")},
        labels,
        tuple(group for _, group, _ in labelled),
        np.array([source for _, _, source in labelled]),
        k,
        tuple(heard),
    )


def _others(text: str, vectors: NDArray[np.float64], i: int) -> dict[str, float]:
    """The baselines and the lines for judging, of turn i."""
    mean = vectors[:i].sum(axis=0) / (i + PRIOR)
    means = {
        f"mean {k}": 1 - _cosine(vectors[i], vectors[max(0, i - k) : i].mean(axis=0)) for k in range(2, MOST_K + 1)
    }
    return {
        "previous": 1 - _cosine(vectors[i], vectors[i - 1]),
        "centred": 1 - _cosine(vectors[i] - mean, vectors[i - 1] - mean),
        "length": float(count_tokens(text)),
        **means,
    }


def _cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / lengths) if lengths else 0.0


def report(measured: Measured, resamples: int, seed: int) -> dict[str, Any]:
    """The figures of one kind of streams, ready for JSON."""
    grid = np.array([[surprise(h.vector, h.tokens, h.before, weights) for h in measured.heard] for weights in GRID])
    by_weights = [auroc(scores, measured.labels) for scores in grid]
    signals = {**measured.signals, "held out": _held_out(grid, measured)}
    values, ahead = shifts.compare(signals, measured.labels, measured.groups, "surprise", resamples, seed)
    _, ahead_held_out = shifts.compare(
        {name: signals[name] for name in ("held out", *BASELINES)},
        measured.labels,
        measured.groups,
        "held out",
        resamples,
        seed,
    )
    ours, shift = measured.signals["surprise"], measured.labels
    return {
        "turns": len(shift),
        "shifts": int(shift.sum()),
        "k": measured.k,
        "auroc": values,
        "ahead_of": {name: ahead[name] for name in (*BASELINES, "centred", "length")},
        "held_out_ahead_of": ahead_held_out,
        "grid": [min(by_weights), max(by_weights)],
        "median": {"shift": float(np.median(ours[shift])), "none": float(np.median(ours[~shift]))},
    }


def _held_out(grid: NDArray[np.float64], measured: Measured) -> NDArray[np.float64]:
    """Each conversation's turns scored with the weights that are best on the other conversations."""
    scores = np.empty(len(measured.labels))
    for source in np.unique(measured.sources):
        inside = measured.sources == source
        best = max(range(len(grid)), key=lambda i: auroc(grid[i][~inside], measured.labels[~inside]))
        scores[inside] = grid[best][inside]
    return scores


def reached(kinds: dict[str, Any]) -> dict[str, bool]:
    """Whether surprise leads each baseline with its whole interval, by kind of streams."""
    return {
        f"{kind}: surprise above {name}": figures["ahead_of"][name].low > 0
        for kind, figures in kinds.items()
        for name in BASELINES
    }


def table(kinds: dict[str, Any]) -> str:
    """The figures for people."""
    lines = []
    for kind, figures in kinds.items():
        lines.append(f"{kind}: {figures['shifts']} shifts among {figures['turns']} turns")
        for name, value in figures["auroc"].items():
            title = f"mean of the last {figures['k']}" if name == "mean" else name
            ahead = figures["ahead_of"].get(name)
            lines.append(f"  {title:20}  {value}" + (f"   surprise − it: {ahead}" if ahead else ""))
        held_out = ", ".join(f"− {name}: {ahead}" for name, ahead in figures["held_out_ahead_of"].items())
        lines.append(f"  {'held out':20}  {held_out}")
        low, high = figures["grid"]
        lines.append(f"  {'grid':20}  {low:.3f} … {high:.3f}")
        lines.append(
            f"  median surprise: {figures['median']['shift']:.2f} at a shift, {figures['median']['none']:.2f} else"
        )
    return "\n".join(lines)


def run(graph: Graph, data: Path, streams: int, seed: int, resamples: int) -> dict[str, Any]:
    """Both kinds of streams of a LoCoMo file, measured; {kind: figures}."""
    conversations = shifts.read(data)
    kinds = {"spliced": shifts.spliced(conversations, streams, seed), "sessions": shifts.sessions(conversations)}
    return {kind: report(measure(graph, made), resamples, seed) for kind, made in kinds.items()}


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Does surprise find topic shifts? AUROC beside two baselines.")
    add = parser.add_argument
    add("data", nargs="?", type=Path, default=DATA, help="a LoCoMo file (default: ../shared/data/locomo_dev.json)")
    add("--streams", type=int, default=40, help="spliced streams at most (default 40; the data may give fewer)")
    add("--seed", type=int, default=0, help="of cutting, splicing and resampling (default 0)")
    add("--resamples", type=int, default=RESAMPLES, help=f"of the bootstrap (default {RESAMPLES})")
    add_arguments(parser)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run; 0 when surprise leads both baselines on both kinds of streams, with intervals, else 1."""
    arguments = _arguments(given)
    if not arguments.data.is_file():
        raise InputError(f"no file {arguments.data}: give the path of a LoCoMo file")
    settings = read_settings()
    embedder = CachedEmbedder(open_embedder(settings))
    with serving(arguments, settings) as at, Store(at.uri, at.user, at.password, at.database) as store:
        prepare_schema(store, embedder.dimensions)
        graph = Graph(store, embedder, OfflineExtractor())
        kinds = run(graph, arguments.data, arguments.streams, arguments.seed, arguments.resamples)
    goals = reached(kinds)
    print(table(kinds))
    print("\n".join(f"{'reached' if ok else 'MISSED '}  {name}" for name, ok in goals.items()))
    if arguments.json:
        figures = json.dumps({"kinds": kinds, "goals": goals}, indent=1, default=_plain)
        arguments.json.write_text(figures + "\n", encoding="utf-8")
    return 0 if all(goals.values()) else 1


def _plain(value: object) -> dict[str, float]:
    if isinstance(value, Figure):
        return asdict(value)
    raise TypeError(f"not for JSON: {value!r}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OroiError as error:
        sys.exit(str(error))
