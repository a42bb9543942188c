"""The product with one mechanism taken out or put differently: what `ablations.py` compares it with.

A variant changes options if there are any for it, else it swaps functions of the product for as long as it is applied.
The rules of spreading that were considered and rejected live here and nowhere else.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType, ModuleType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from oroi_graph.activation import kernel
from oroi_graph.activation.kernel import Floats, Network
from oroi_graph.entities import fact_updates, linker
from oroi_graph.entities.fact_updates import Outcome
from oroi_graph.errors import OroiError
from oroi_graph.memory import Graph  # with it comes all that might hold what is swapped
from oroi_graph.options import Dynamics, Options
from oroi_graph.recall.graph import evidence
from oroi_graph.recall.graph.evidence import Evidence
from oroi_graph.recall.graph.paths import Paths
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall_options import Ranking

Origin = Literal["source", "ours", "parameter"]  # whose mechanism it is that is missing
Swap = tuple[ModuleType, str, object]  # a module, the name of a function in it, what takes its place

STAGES = ("first_stage", "second_stage")  # the weights of record ranking

# Features that are left out together. A feature named nowhere is left out alone.
FEATURE_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "who": ("who", "who first"),
        "neighbours": ("meaning after", "words before", "answers"),
        "similarity": ("meaning", "words"),
        "late-interaction": ("interaction", "interaction around"),
        "interaction-around": ("interaction around",),
        # Those that `no-fusion` and `hybrid-only` are about.
        "activation": ("activation",),
    }
)
# What the source does, too: hybrid search, and a protagonist's words before equal ones of the assistant.
SPECIFIED = frozenset({"similarity", "assistant"})


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which the product is not itself. rebuilt: it perceives differently, so its memories are its own."""

    name: str
    what: str
    origin: Origin
    rebuilt: bool = False
    options: Callable[[Options], Options] = lambda options: options
    swaps: Callable[[], Sequence[Swap]] = tuple

    def changes(self, options: Options) -> bool:
        """Whether anything is different from the product with these options (ρ = 6 is its default)."""
        return self.options(options) != options or bool(self.swaps())

    @contextmanager
    def applied(self, graph: Graph) -> Iterator[None]:
        """The graph and the product as this variant has them; as they were, on the way out.

        Raises OroiError that names what is to be swapped and is no longer there. For one thread at a time.
        """
        before = graph.options
        graph.options = self.options(before)
        try:
            with ExitStack() as stack:
                for module, name, other in self.swaps():
                    stack.enter_context(_swapped(module, name, other))
                yield
        finally:
            graph.options = before


def variants() -> tuple[Variant, ...]:
    """All variants: the source's mechanisms first, parameters, then what was added to recall."""
    return (*_spreading(), *_dynamics(), *_perceiving(), *_combining(), *_parameters(), *_features(), *_added())


def chosen(names: Sequence[str]) -> tuple[Variant, ...]:
    """The variants of these names in their usual order, all of them for none. Raises OroiError for an unknown one."""
    known = {variant.name: variant for variant in variants()}
    for name in names:
        if name not in known:
            raise OroiError(f"unknown ablation {name!r}: choose from {', '.join(known)}")
    return tuple(variant for name, variant in known.items() if not names or name in names)


# -- the source's mechanisms -------------------------------------------------------------------------------


def _spreading() -> Iterator[Variant]:
    yield Variant(
        "additive",
        "spreading adds to the receiver and takes nothing from the source",
        "source",
        rebuilt=True,
        swaps=lambda: [(kernel, "spread", additive)],
    )
    yield Variant(
        "subtract-all",
        "a source cedes its share to every neighbour, also to more active ones, and loses all of it",
        "source",
        rebuilt=True,
        swaps=lambda: [(kernel, "spread", subtract_all)],
    )
    yield Variant(
        "no-reverse-flow",
        "nothing flows against an association (φ = 0)",
        "source",
        rebuilt=True,
        options=lambda options: _with_dynamics(options, reverse=0.0),
    )


def _dynamics() -> Iterator[Variant]:
    yield Variant(
        "no-hebb",
        "what is active together is not tied together (η = 0)",
        "source",
        rebuilt=True,
        options=lambda options: _with_dynamics(options, learning=0.0),
    )
    yield Variant(
        "no-decay",
        "activation does not decay at the end of a turn (δ = 1)",
        "source",
        rebuilt=True,
        options=lambda options: _with_dynamics(options, decay=1.0),
    )


def _perceiving() -> Iterator[Variant]:
    yield Variant(
        "no-supersession",
        "a correction replaces nothing: both facts are current",
        "source",
        rebuilt=True,
        swaps=lambda: [(fact_updates, "decide_late", _nothing_replaced(fact_updates.decide_late))],
    )
    yield Variant(
        "no-rescue",
        "a truncated or misspelled name is not recognised, in turns and in questions",
        "source",
        rebuilt=True,
        swaps=lambda: [(linker, "rescue", lambda label, candidates, *, strict=False: None)],
    )


def _combining() -> Iterator[Variant]:
    yield Variant(
        "no-convergence",
        "what several cues reach counts as much as the best of them alone",
        "source",
        swaps=lambda: [
            (kernel, "converge", _best_wave(kernel.converge)),
            (evidence, "gather", _best_cue(evidence.gather)),
            (evidence, "record_supports", _best_named),
        ],
    )
    yield Variant(
        "no-fusion",
        "records are ranked by activation alone",
        "source",
        options=lambda options: _ranked_by(options, {stage: {"activation": 1.0} for stage in STAGES}),
    )
    yield Variant(
        "hybrid-only",
        "records are ranked without activation",
        "source",
        options=lambda options: _without(options, ["activation"]),
    )


def _parameters() -> Iterator[Variant]:
    for gain in (1.0, 6.0, 12.0):
        yield Variant(
            f"rho-{gain:.0f}",
            f"relevance weighs {gain:.0f} times what strength does (ρ = {gain:.0f})",
            "parameter",
            options=lambda options, gain=gain: replace(options, relevance_gain=gain),  # type: ignore[misc]
        )


# -- what was added to recall ------------------------------------------------------------------------------


def _features() -> Iterator[Variant]:
    grouped = {name for names in FEATURE_GROUPS.values() for name in names}
    weighed = dict.fromkeys(name for stage in STAGES for name in getattr(Ranking(), stage))
    alone = {name.replace(" ", "-"): (name,) for name in weighed if name not in grouped}
    for group, names in {**FEATURE_GROUPS, **alone}.items():
        if names != ("activation",):
            yield Variant(
                f"no-{group}",
                f"feature{'s' if len(names) > 1 else ''} {', '.join(names)}: weight 0",
                "source" if group in SPECIFIED else "ours",
                options=lambda options, names=names: _without(options, names),  # type: ignore[misc]
            )


def _added() -> Iterator[Variant]:
    added: Sequence[tuple[str, str, str, dict[str, float]]] = (
        ("no-crowd", "one of many like neighbours may be an answer", "selection", {"hub_share": math.inf}),
        ("no-variety", "all of a hub's places may go to neighbours along one relation", "search",
         {"relation_share": 1.0}),
        ("no-plain-paths", "a path that says all that the question says is like any other", "selection",
         {"explicit_path": 2.0}),
        ("no-context", "turns before and after a candidate are no candidates", "search", {"neighbour_turns": 0}),
        ("no-windows", "the times that a question names are not read as windows", "search", {"windows": 0}),
        ("no-meaning", "what was said of an association clears no step", "search", {"unrelated_record": 1.0}),
        ("no-criteria", "what fits several criteria is not looked for by meaning", "selection",
         {"criterion_words": sys.maxsize}),
        ("no-relevance", "no record enters for being likely to help", "selection",
         {"mass": 0.0, "relevant": 1.0, "likely_alone": 1.0}),
    )  # fmt: skip
    for name, what, home, changed in added:
        yield Variant(
            name,
            what,
            "ours",
            options=lambda options, home=home, changed=changed: replace(  # type: ignore[misc]
                options, **{home: replace(getattr(options, home), **changed)}
            ),
        )


# -- how they do it ----------------------------------------------------------------------------------------


def additive(
    network: Network,
    activation: ArrayLike,
    *,
    transfer: float = 0.5,
    rounds: int = 3,
    relays: ArrayLike | None = None,
) -> Floats:
    """Rejected: a(j) += λ·Σ share(i→j)·a(i) each round; the source keeps what it gives, so the total grows."""
    now, conductance = _start(network, activation, transfer, relays)
    for _ in range(rounds):
        now = now + np.bincount(network.target, conductance * now[network.source], network.n)
    return now


def subtract_all(
    network: Network,
    activation: ArrayLike,
    *,
    transfer: float = 0.5,
    rounds: int = 3,
    relays: ArrayLike | None = None,
) -> Floats:
    """Rejected: what a source offers is λ·share of all it has rather than of the gap, and it loses all of it."""
    now, conductance = _start(network, activation, transfer, relays)
    for _ in range(rounds):
        flow = conductance * now[network.source]
        lost = np.bincount(network.source, flow, network.n)
        now = np.maximum(now - lost + np.bincount(network.target, flow, network.n), 0.0)
    return now


def _start(network: Network, activation: ArrayLike, transfer: float, relays: ArrayLike | None) -> tuple[Floats, Floats]:
    """A copy of the activation, and λ·share of every way that may be walked, as `spread.spread` begins."""
    now = np.array(activation, dtype=np.float64)
    conductance = transfer * network.share
    if relays is not None:
        conductance = conductance * (np.asarray(relays, dtype=bool) | (now > 0))[network.source]
    return now, conductance


def _with_dynamics(options: Options, **changed: float) -> Options:
    dynamics: Dynamics = replace(options.dynamics, **changed)  # type: ignore[arg-type]
    return replace(options, dynamics=dynamics)


def _nothing_replaced(decide_late: Callable[..., Outcome]) -> Callable[..., Outcome]:
    def decide(*given: Any, **named: Any) -> Outcome:
        return replace(decide_late(*given, **named), supersedes=(), overtaken=None)

    return decide


def _best_wave(converge: Callable[..., Floats]) -> Callable[..., Floats]:
    """Each wave by itself, as heavy as its cue is beside the heaviest; of a concept the best."""

    def best(waves: ArrayLike, weights: ArrayLike, **named: float) -> Floats:
        arrived, u = np.asarray(waves, dtype=np.float64), np.asarray(weights, dtype=np.float64)
        alone = [
            converge(wave[None], [1.0], **named) * (weight / u.max()) for wave, weight in zip(arrived, u, strict=True)
        ]
        found: Floats = np.max(alone, axis=0)
        return found

    return best


def _best_cue(gather: Callable[[Evocation, Options], Evidence]) -> Callable[[Evocation, Options], Evidence]:
    """Each cue looks for answers as if it were the only one; a concept's support is that of its best cue."""

    def best(evocation: Evocation, options: Options) -> Evidence:
        heaviest = max((cue.weight for cue in evocation.cues), default=0.0)
        if not heaviest:
            return gather(evocation, options)
        merged: dict[str, float] = {}
        paths = []
        for i, cue in enumerate(evocation.cues):
            own = Paths.of(path._replace(cue=0) for path in evocation.paths if path.cue == i)
            found = gather(replace(evocation, cues=(cue,), waves=evocation.waves[i : i + 1], paths=own), options)
            for concept, worth in found.support.items():
                merged[concept] = max(merged.get(concept, 0.0), worth * cue.weight / heaviest)
            paths += [path._replace(cue=i) for path in found.paths]
        paths.sort(key=lambda p: (-merged[evocation.ids[p.end]], -p.worth, p.cue, p.edges))
        return Evidence(merged, tuple(paths), options.selection.support)

    return best


def _best_named(records: Sequence[Sequence[str]], evidence: Evidence, evocation: Evocation) -> list[float]:
    """What each record mentions: its best answer or its heaviest cue, whatever else it names."""
    heaviest = max((cue.weight for cue in evocation.cues), default=0.0)
    best = [max((evidence.support.get(concept, 0.0) for concept in concepts), default=0.0) for concepts in records]
    return best if heaviest else [0.0] * len(records)


def _without(options: Options, names: Sequence[str]) -> Options:
    """The options without the weights of these features, in both stages."""
    weights: Mapping[str, Mapping[str, float]] = {stage: getattr(options.ranking, stage) for stage in STAGES}
    return _ranked_by(
        options, {stage: {n: w for n, w in some.items() if n not in names} for stage, some in weights.items()}
    )


def _ranked_by(options: Options, weights: Mapping[str, Mapping[str, float]]) -> Options:
    frozen = {stage: MappingProxyType(dict(some)) for stage, some in weights.items()}
    return replace(options, ranking=replace(options.ranking, **frozen))  # type: ignore[arg-type]


@contextmanager
def _swapped(module: ModuleType, name: str, other: object) -> Iterator[None]:
    """`other` in the place of a module's `name`, wherever in the product it was imported to."""
    if not hasattr(module, name):
        raise OroiError(f"{module.__name__}.{name} is gone: see what took its place and change benchmarks/variants.py")
    original = getattr(module, name)
    homes = [
        home
        for path, home in list(sys.modules.items())
        if path.partition(".")[0] == "oroi_graph" and vars(home).get(name) is original
    ]
    for home in homes:
        setattr(home, name, other)
    try:
        yield
    finally:
        for home in homes:
            setattr(home, name, original)
