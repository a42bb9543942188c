"""A long life: the same conversation held with two memories, one of which sleeps every night; what becomes of them?

    python benchmarks/long_life.py --managed DIR --json life.json --plot life.png [--turns 5000] [--only slept|awake]

The life is scripted (`life_script`), the embeddings are those of the real model, made beforehand for some days at a
time. Each turn is perceived, its brief read and given back as injected when it is closed with its reply, first in one
memory, then in the other, so that the machine's load falls on both alike. At night the one consolidates.

After every `--every` turns, at the end of that day (and of its sleep), are taken:

- **latency** of perceive, recall and close over the last 100 turns, and beside them that of recalls on a small memory
  that never changes (the *reference*): what that takes longer is the load. `steady` is a latency's ratio to that
  of turn 1,000 after the same ratio of the reference is divided out;
- **growth**: concepts, associations, coincidences, records that can still be recalled, and the bytes of all text on
  the recall path (labels, aliases, relations, records), the verbatim of gists apart;
- **recall**: the share of probes of each kind whose brief says what it must and nothing that it must not. Both the
  question and what it asks for were said by then: `early` facts of the first days which are taken up until day 40 or
  100 and never again; `recurring` ones; `corrected` ones (an earlier value is forbidden); those of a `faded_topic`;
  trivia told once, in the last 150 turns (`recent`) or more than 1,500 turns ago (`trivia_old`).

A killed run goes on where it was when it is started again with the same --json and --managed (or --uri); a longer
life (`--turns 20000`) begins with the shorter one and goes on from it, too.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from figures import quantiles
from latency import NotedStore
from life_script import KINDS, Life, Probe, Said, live
from life_topics import APART, SAME
from servers import add_arguments, prepare_schema, read_settings, serving

from oroi_graph.connection import open_embedder
from oroi_graph.errors import InputError, OroiError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.language.normalize import label_key, without_names
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import TurnInput
from oroi_graph.perception.pipeline import prepare
from oroi_graph.recall import question as cues

NAMES = {"slept": "life-slept", "awake": "life-awake"}
REFERENCE = "life-reference"
REFERENCE_TURNS = 200
REFERENCE_EVERY = 5  # turns between two recalls on the reference
LAST = 100  # turns whose latency is looked at
EARLY_CHECKPOINT = 1000  # turns: what later latencies are compared with
MOST_GROWN = 1.5
SLACK = 0.1  # share of a kind's probes that sleep may cost: four of forty
KEPT = 0.9  # share of the early facts that must be recalled at the end
AHEAD = 10  # days embedded at once
OPERATIONS = ("perceive", "recall", "close")

SIZES = """CYPHER 25
MATCH (m:Memory {name: $memory})
CALL () {
  MATCH (c:Concept) WHERE c.memory = $memory
  RETURN count(c) AS concepts, count(CASE WHEN c.activation > 0 THEN 1 END) AS lit,
         count(CASE WHEN c.strength >= $took_hold THEN 1 END) AS strong, collect(c.label_text) AS labels
}
CALL () {
  MATCH (c:Concept)-[a:ASSOCIATED]->() WHERE c.memory = $memory
  RETURN count(a) AS associations, collect(a.relation) AS relations
}
CALL () {
  MATCH (c:Concept)-[p:COINCIDED]->() WHERE c.memory = $memory
  RETURN count(p) AS coincidences
}
CALL () {
  MATCH (r:Record) WHERE r.memory = $memory
  RETURN count(CASE WHEN r.text <> '' THEN 1 END) AS records, count(CASE WHEN r.text = '' THEN 1 END) AS resting,
         count(CASE WHEN r.text <> '' THEN r.gist_turn END) AS gists, collect(r.text) AS texts,
         collect(r.verbatim) AS verbatims
}
RETURN concepts, lit, strong, associations, coincidences, records, resting, gists, labels, relations, texts, verbatims
"""
MERGED = """MATCH (b:Merged)-[:MERGED_INTO]->(a) WHERE b.memory = $memory
RETURN b.label AS absorbed, a.label AS into ORDER BY absorbed, into"""
CLOCK = "MATCH (m:Memory {name: $memory}) RETURN m.turn AS turn"


@dataclass(eq=False)
class Lived:
    """One memory that lives through the script, and the latencies of its last turns (seconds)."""

    memory: Memory
    clock: int  # turns lived
    seconds: dict[str, deque[float]] = field(default_factory=lambda: {name: deque(maxlen=LAST) for name in OPERATIONS})
    tokens: deque[int] = field(default_factory=lambda: deque(maxlen=LAST))
    statements: dict[str, deque[float]] = field(default_factory=lambda: defaultdict(lambda: deque(maxlen=LAST)))

    def live(self, said: Said, number: int) -> None:
        """One turn, the `number`th; one that was lived before is left alone."""
        if number <= self.clock:
            return
        begin = time.perf_counter()
        turn = self.memory.perceive(
            said.text, speaker=said.speaker, id=said.id, at=said.at, session=said.session, extraction=said.extraction
        )
        perceived = time.perf_counter()
        self._note()
        reading = time.perf_counter()
        brief = turn.brief
        recalled = time.perf_counter()
        self._note()
        closing = time.perf_counter()
        turn.close(said.reply, injected=brief)
        closed = time.perf_counter()
        self._note()
        self.clock = number
        if not turn.opened.repeated:
            took = (perceived - begin, recalled - reading, closed - closing)
            for name, seconds in zip(OPERATIONS, took, strict=True):
                self.seconds[name].append(seconds)
            self.tokens.append(brief.tokens)

    def _note(self) -> None:
        """How long each statement of the transaction that just ended took."""
        store = self.memory.graph.store
        assert isinstance(store, NotedStore)
        for sent in store.noted:
            self.statements[sent.name].append(sent.seconds)
        store.noted = []  # small talk recalls without a transaction


class Run:
    """One run: the graph, the lives, what was measured so far (written to a file as it grows)."""

    def __init__(self, graph: Graph, life: Life, report: dict[str, Any], path: Path | None, every: int) -> None:
        self.graph, self.life, self.report, self.path, self.every = graph, life, report, path, every
        self.lives = {which: self._lived(NAMES[which]) for which in report["lives"]}
        self.reference = self._lived(REFERENCE)
        self.reference_seconds: deque[float] = deque(maxlen=LAST // REFERENCE_EVERY)
        self._asked = 0

    def run(self) -> None:
        """Live what is not lived yet, night by night."""
        days = [list(turns) for _, turns in groupby(enumerate(self.life.turns, start=1), lambda pair: pair[1].day)]
        self._prepare_reference()
        embedded = 0
        for index, day in enumerate(days):
            last = day[-1][0]
            if all(lived.clock > last for lived in self.lives.values()):
                continue
            if index >= embedded:
                embedded = index + AHEAD
                self._embed([said for ahead in days[index:embedded] for _, said in ahead])
            for number, said in day:
                for lived in self.lives.values():
                    lived.live(said, number)
                if not number % REFERENCE_EVERY:
                    self._ask_reference()
            for which in self.lives:
                self._night(which, day)

    def _night(self, which: str, day: Sequence[tuple[int, Said]]) -> None:
        """Sleep, if this life does; measure, if it is time."""
        first, last = day[0][0], day[-1][0]
        lived, found = self.lives[which], self.report["lives"][which]
        if lived.clock > last:
            return
        if which == "slept":
            begin = time.perf_counter()
            slept = lived.memory.consolidate()
            if slept.state != "not due":
                took = round(time.perf_counter() - begin, 3)
                found["sleeps"].append({"turn": last, "seconds": took, "state": slept.state, **slept.counts})
        due = last // self.every > (first - 1) // self.every or last == len(self.life.turns)
        if due and last not in [measure["turn"] for measure in found["measures"]]:
            found["measures"].append(self._measure(lived, day[-1][1], last))
            self._note(which, found["measures"][-1])

    def _measure(self, lived: Lived, said: Said, turn: int) -> dict[str, Any]:
        sizes = _sizes(self.graph, lived.memory.name)
        recalled, missed, tokens = _probed(lived.memory, self.life.probes_at(turn), said)
        return {
            "turn": turn,
            "day": said.day + 1,
            "sizes": sizes,
            "latency_ms": {name: quantiles(seconds) for name, seconds in lived.seconds.items()},
            "by_statement_ms": {name: quantiles(taken) for name, taken in sorted(lived.statements.items())},
            "reference_ms": quantiles(self.reference_seconds),
            "samples": len(lived.tokens),
            "brief_tokens": round(float(np.mean(lived.tokens)), 1) if lived.tokens else None,
            "probe_tokens": tokens,
            "recall": recalled,
            "missed": missed,
        }

    def _note(self, which: str, measure: Mapping[str, Any]) -> None:
        """Write the file anew, whole or not at all; say on stderr how far it is."""
        print(f"{which:6} {_line(measure)}", file=sys.stderr, flush=True)
        if self.path is not None:
            part = self.path.with_suffix(".part")
            part.write_text(json.dumps(self.report, indent=1) + "\n", encoding="utf-8")
            part.replace(self.path)

    def _lived(self, name: str) -> Lived:
        memory = self.graph.memory(name)
        _, rows = self.graph.store.explore(CLOCK, memory=name)
        return Lived(memory, rows[0][0])

    def _prepare_reference(self) -> None:
        """The small memory: the first turns of the life, and then nothing any more."""
        if self.reference.clock < REFERENCE_TURNS:
            begun = list(self.life.turns[:REFERENCE_TURNS])
            self._embed(begun)
            for number, said in enumerate(begun, start=1):
                self.reference.live(said, number)
        self._questions = [probe.question for probe in self.life.probes_at(REFERENCE_TURNS)]
        for question in self._questions:  # warm
            self.reference.memory.recall(question, speaker="Ana", at=self.life.turns[0].at)

    def _ask_reference(self) -> None:
        question = self._questions[self._asked % len(self._questions)]
        self._asked += 1
        begin = time.perf_counter()
        self.reference.memory.recall(question, speaker="Ana", at=self.life.turns[0].at)
        self.reference_seconds.append(time.perf_counter() - begin)

    def _embed(self, turns: Sequence[Said]) -> None:
        """Have the embedder's cache hold whatever living these turns will ask of it, in one batch."""
        reader, names = OfflineExtractor(), sorted({said.speaker for said in self.life.turns})
        wanted: dict[str, None] = {}
        inputs = []
        for said in turns:
            inputs.append(TurnInput(said.text, said.id, said.speaker, "user", said.at, said.session))
            question = cues.ask(said.text, said.speaker, said.at, reader)
            wanted |= dict.fromkeys([without_names(said.text, names), *(s.label for s in question.spans)])
            if said.reply is not None:
                wanted[without_names(said.reply, ["Assistant", *names])] = None
        prepare(inputs, [(said.extraction, None) for said in turns], "given", self.graph.embedder)
        self.graph.embedder.embed(list(wanted))


def _sizes(graph: Graph, name: str) -> dict[str, int]:
    """What the memory holds, and the bytes of its text on the recall path and off it."""
    columns, rows = graph.store.explore(SIZES, memory=name, took_hold=graph.options.sleep.took_hold)
    row = dict(zip(columns, rows[0], strict=True))
    on, off = row.pop("labels") + row.pop("relations") + row.pop("texts"), row.pop("verbatims")
    return row | {"recall_path_bytes": _bytes(on), "verbatim_bytes": _bytes(off)}


def _bytes(texts: Sequence[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def _probed(
    memory: Memory, probes: Sequence[Probe], said: Said
) -> tuple[dict[str, dict[str, int]], dict[str, list[str]], float]:
    """{kind: {right, of}}, the questions missed by kind (old trivia apart), and the mean tokens of the briefs."""
    found: dict[str, dict[str, int]] = {}
    missed: dict[str, list[str]] = {}
    tokens = []
    for probe in probes:
        brief = memory.recall(probe.question, speaker=probe.speaker, at=said.at).brief
        kind = found.setdefault(probe.kind, {"right": 0, "of": 0})
        right = probe.answered(brief.text)
        kind["right"] += right
        kind["of"] += 1
        if not right and probe.kind != "trivia_old":
            missed.setdefault(probe.kind, []).append(probe.question)
        tokens.append(brief.tokens)
    return found, missed, round(float(np.mean(tokens)), 1) if tokens else 0.0


def merges(graph: Graph) -> dict[str, Any]:
    """What sleep united, judged by the script: the same thing in two wordings, two things, or neither known."""
    same = [{label_key(label) for label in labels} for labels in SAME.values()]
    apart = [{label_key(label) for label in labels} for labels in APART]
    _, rows = graph.store.explore(MERGED, memory=NAMES["slept"])
    pairs = [{label_key(a), label_key(b)} for a, b in rows]
    return {
        "merged": len(pairs),
        "same": sum(pair in same for pair in pairs),
        "apart": sum(pair in apart for pair in pairs),
        "pairs": [list(row) for row in rows],
    }


def steadiness(measures: Sequence[Mapping[str, Any]], operation: str, q: str) -> dict[str, float] | None:
    """The latency at the end to that at turn 1,000: as it is, and with the reference's ratio divided out.

    Both are means of the latencies of some measurements (three, where there are six), which load moves less than one.
    """
    late = [m for m in measures if m["turn"] >= EARLY_CHECKPOINT and m["latency_ms"][operation] and m["reference_ms"]]
    some = min(3, len(late) // 2)
    if not some:
        return None
    took = [m["latency_ms"][operation][q] for m in late]
    steady = [seconds / m["reference_ms"]["p50"] for seconds, m in zip(took, late, strict=True)]
    ratio, apart = (float(np.mean(x[-some:]) / np.mean(x[:some])) for x in (took, steady))
    return {"ratio": round(ratio, 3), "steady": round(apart, 3)}


def growth(measures: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What was added per 100 turns over the last fifth of the life."""
    last = measures[-1]
    before = min(measures, key=lambda m: abs(m["turn"] - 0.8 * last["turn"]))
    turns = last["turn"] - before["turn"]
    if not turns:
        return {}
    return {name: round(100 * (last["sizes"][name] - before["sizes"][name]) / turns, 2) for name in last["sizes"]}


def goals(lives: Mapping[str, Mapping[str, Any]]) -> dict[str, bool]:
    """The goals, by name: reached or not; those that can be judged."""
    reached = {}
    for operation in OPERATIONS:
        ratio = steadiness(lives["slept"]["measures"], operation, "p50") if "slept" in lives else None
        if ratio is not None:
            text = f"{operation} at the end takes {ratio['steady']} × that at turn {EARLY_CHECKPOINT}, load apart"
            reached[f"slept: {text} (as measured {ratio['ratio']} ×), at most {MOST_GROWN}"] = (
                ratio["steady"] <= MOST_GROWN
            )
    measured = {which: found["measures"] for which, found in lives.items() if found["measures"]}
    if "slept" in measured:
        slept = _shares(measured["slept"][-1])
        if "early" in slept:
            text = f"slept: {slept['early']:.2f} of the early facts are recalled, at least {KEPT}"
            reached[text] = slept["early"] >= KEPT
    if len(measured) == 2:
        reached |= _compared(measured["slept"], measured["awake"])
    return reached


def _compared(slept: Sequence[Mapping[str, Any]], awake: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """What sleep must have done: trivia fade, nothing else does, and the memory grows less."""
    reached = {}
    with_, without = _shares(slept[-1]), _shares(awake[-1])
    for kind in (kind for kind in KINDS if kind in with_ and kind in without):
        text = f"{kind}: {with_[kind]:.2f} recalled with sleep, {without[kind]:.2f} without"
        if kind == "trivia_old":
            reached[f"{text}, at most half as many"] = with_[kind] <= without[kind] / 2
        else:
            reached[f"{text}, at most {SLACK} less"] = with_[kind] >= without[kind] - SLACK
    grown, grown_awake = growth(slept), growth(awake)
    for name in ("concepts", "associations", "recall_path_bytes"):
        if slept[-1]["turn"] > EARLY_CHECKPOINT and name in grown and name in grown_awake:
            text = f"{name}: {grown[name]:g} more per 100 turns with sleep, {grown_awake[name]:g} without"
            reached[text] = grown[name] < grown_awake[name]
    return reached


def _shares(measure: Mapping[str, Any]) -> dict[str, float]:
    return {kind: found["right"] / found["of"] for kind, found in measure["recall"].items()}


def _line(measure: Mapping[str, Any]) -> str:
    sizes, shares = measure["sizes"], _shares(measure)
    latency = "  ".join(f"{found.get('p50', 0):5.0f}" for found in measure["latency_ms"].values())
    recalled = "  ".join(f"{shares[kind]:.2f}" if kind in shares else " –  " for kind in KINDS)
    return (
        f"{measure['turn']:6d}  {sizes['concepts']:6d} {sizes['associations']:6d} {sizes['coincidences']:6d} "
        f"{sizes['records']:6d} {sizes['recall_path_bytes'] // 1024:5d}  {latency}  "
        f"{measure['reference_ms'].get('p50', 0):5.0f}  {measure['brief_tokens'] or 0:5.0f}  {recalled}"
    )


def table(lives: Mapping[str, Mapping[str, Any]]) -> str:
    """The figures for people."""
    head = (
        f"{'':6} {'turn':>6}  {'concep':>6} {'associ':>6} {'coinci':>6} {'record':>6} {'KiB':>5}  {'perc.':>5}  "
        f"{'recal':>5}  {'close':>5}  {'refer':>5}  {'token':>5}  " + "  ".join(f"{kind[:4]:4}" for kind in KINDS)
    )
    rows = [f"{which:6} {_line(measure)}" for which, found in lives.items() for measure in found["measures"]]
    added = [
        f"{which}, per 100 turns at the end: "
        + ", ".join(f"{value:+g} {name}" for name, value in growth(found["measures"]).items())
        for which, found in lives.items()
        if found["measures"]
    ]
    return "\n".join([head, "-" * len(head), *rows, *added])


def plot(lives: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Growth, latency, recall by kind and the sleeps' durations in one picture."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(16, 9), constrained_layout=True)
    lines = {"slept": "-", "awake": "--"}
    for which, found in lives.items():
        measures = found["measures"]
        turns = [m["turn"] for m in measures]
        for i, name in enumerate(("concepts", "associations", "coincidences", "records")):
            label = f"{name}, {which}"
            axes[0, 0].plot(turns, [m["sizes"][name] for m in measures], lines[which], color=f"C{i}", label=label)
        kib = [m["sizes"]["recall_path_bytes"] / 1024 for m in measures]
        axes[0, 1].plot(turns, kib, lines[which], color="C0", label=f"on the recall path, {which}")
        if which == "slept":
            off = [m["sizes"]["verbatim_bytes"] / 1024 for m in measures]
            axes[0, 1].plot(turns, off, ":", color="C7", label="verbatim off the recall path, slept")
        for i, name in enumerate(OPERATIONS):
            timed = [
                (m["turn"], m["latency_ms"][name]["p50"] / m["reference_ms"]["p50"])
                for m in measures
                if m["latency_ms"][name] and m["reference_ms"]
            ]
            if timed:
                axes[0, 2].plot(*zip(*timed, strict=True), lines[which], color=f"C{i}", label=f"{name}, {which}")
        axis = axes[1, 0 if which == "slept" else 1]
        for i, kind in enumerate(KINDS):
            shares = [(m["turn"], _shares(m)[kind]) for m in measures if kind in m["recall"]]
            if shares:
                axis.plot(*zip(*shares, strict=True), color=f"C{i}", marker=".", label=kind.replace("_", " "))
        axis.set(title=f"probes answered by the brief, {which}", ylim=(-0.03, 1.03))
        sleeps = found.get("sleeps", [])
        if sleeps:
            axes[1, 2].plot([s["turn"] for s in sleeps], [s["seconds"] for s in sleeps], ".", color="C0")
            axes[1, 2].set(title="seconds of each sleep", ylim=(0, None))
    axes[0, 0].set(title="size")
    axes[0, 1].set(title="text, KiB", ylim=(0, None))
    axes[0, 2].set(title="median latency / that of a recall on a small memory", ylim=(0, None))
    for axis in axes.flat:
        axis.set_xlabel("turns")
        axis.grid(alpha=0.3)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize="small")
    figure.savefig(path, dpi=90)
    plt.close(figure)


def _begun(arguments: argparse.Namespace, model: str) -> dict[str, Any]:
    """The report of a run that was begun before, or a new one. Raises InputError if it was another kind of run."""
    lives = [arguments.only] if arguments.only else list(NAMES)
    parameters = {"seed": arguments.seed, "every": arguments.every, "embedder": model}
    path = arguments.json
    if path is not None and path.exists():
        report: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if report["parameters"] != parameters or list(report["lives"]) != lives:
            raise InputError(f"{path} holds another run ({report['parameters']}): give another --json and --managed")
        return report
    return {"parameters": parameters, "lives": {which: {"measures": [], "sleeps": []} for which in lives}}


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A long life of a memory, with and without sleep.")
    add = parser.add_argument
    add("--turns", type=int, default=5000, help="turns by users (default 5000)")
    add("--seed", type=int, default=0, help="of the script")
    add("--every", type=int, default=250, help="turns between two measurements (default 250)")
    add("--only", choices=list(NAMES), help="one life only: with nightly sleep, or without any")
    add("--plot", type=Path, help="write the plot to this file (PNG)")
    add_arguments(parser)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run; 0 when every goal is reached, else 1."""
    arguments = _arguments(given)
    if min(arguments.turns, arguments.every) < 1:
        raise InputError("--turns and --every must be at least 1")
    settings = replace(read_settings(), server_heap="1g", server_page_cache="512m")
    embedder = open_embedder(settings)
    report = _begun(arguments, embedder.model)
    life = live(arguments.turns, arguments.seed)
    with serving(arguments, settings) as address:
        store = NotedStore(address.uri, address.user, address.password, address.database or None)
        with Graph(store, embedder, OfflineExtractor()) as graph:
            prepare_schema(store, embedder.dimensions)
            Run(graph, life, report, arguments.json, arguments.every).run()
            if "slept" in report["lives"]:
                report["merges"] = merges(graph)
    report["goals"] = goals(report["lives"])
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if arguments.plot:
        plot(report["lives"], arguments.plot)
    print(table(report["lives"]))
    print("\n".join(f"{'reached' if ok else 'MISSED '}  {name}" for name, ok in report["goals"].items()))
    return 0 if all(report["goals"].values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OroiError as error:
        sys.exit(str(error))
