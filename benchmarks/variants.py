"""The product with one mechanism taken out or put differently: what `ablations.py` compares it with.

A variant changes options where there is one for it, else it swaps functions or constants of the product for as long as
it is applied. The rules of spreading that were considered and rejected live here and nowhere else.
"""

from __future__ import annotations

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
from oroi_graph.entities import fact_updates, resolution
from oroi_graph.entities.fact_updates import Outcome
from oroi_graph.errors import OroiError
from oroi_graph.memory import Graph  # with it comes all that might hold what is swapped
from oroi_graph.options import Dynamics, Options
from oroi_graph.recall import evidence, pipeline, ranker, selection
from oroi_graph.recall.evidence import KEEP, Answers
from oroi_graph.recall.graph_search import Evocation

Origin = Literal["source", "ours", "parameter"]  # whose mechanism it is that is missing
Swap = tuple[ModuleType, str, object]  # a module, the name of a function or constant in it, what takes its place

LOOKS = ("FIRST", "WEIGHTS")  # the weights of record ranking: of a first look and of the second

# Channels that stand and fall together: their weights are set to 0 at once. A channel named nowhere stands alone.
CHANNEL_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
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
    return (*_spreading(), *_dynamics(), *_perceiving(), *_combining(), *_parameters(), *_channels(), *_added())


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
        swaps=lambda: [(resolution, "rescue", lambda label, candidates: None)],
    )


def _combining() -> Iterator[Variant]:
    yield Variant(
        "no-convergence",
        "what several cues reach counts as much as the best of them alone",
        "source",
        swaps=lambda: [
            (kernel, "converge", _best_wave(kernel.converge)),
            (evidence, "answers", _best_cue(evidence.answers)),
            (evidence, "record_support", _best_named),
        ],
    )
    yield Variant(
        "no-fusion",
        "records are ranked by activation alone",
        "source",
        swaps=lambda: [(ranker, look, MappingProxyType({"activation": 1.0})) for look in LOOKS],
    )
    yield Variant(
        "hybrid-only",
        "records are ranked without activation",
        "source",
        swaps=lambda: _without(["activation"]),
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


def _channels() -> Iterator[Variant]:
    grouped = {name for names in CHANNEL_GROUPS.values() for name in names}
    weighed = dict.fromkeys(name for look in LOOKS for name in getattr(ranker, look))
    alone = {name.replace(" ", "-"): (name,) for name in weighed if name not in grouped}
    for group, names in {**CHANNEL_GROUPS, **alone}.items():
        if names != ("activation",):
            yield Variant(
                f"no-{group}",
                f"channel{'s' if len(names) > 1 else ''} {', '.join(names)}: weight 0",
                "source" if group in SPECIFIED else "ours",
                swaps=lambda names=names: _without(names),  # type: ignore[misc]
            )


def _added() -> Iterator[Variant]:
    constants: Sequence[tuple[str, str, ModuleType, str, object]] = (
        ("no-crowd", "one of many like neighbours may be an answer", evidence, "CROWD", sys.maxsize),
        ("no-variety", "all of a hub's places may go to neighbours along one relation", pipeline, "VARIETY", 1.0),
        ("no-plain-paths", "a path that says all that the question says is like any other", evidence, "PLAIN", 2.0),
        ("no-context", "turns before and after a candidate are no candidates", pipeline, "AROUND", 0),
        ("no-meaning", "what was said of an association clears no step", pipeline, "meanings", lambda *given: {}),
        (
            "no-criteria",
            "what fits several criteria is not looked for by meaning",
            pipeline,
            "fitting",
            lambda *given: [],
        ),
        ("no-best", "no record speaks for being the best of the ranking alone", selection, "_best", lambda *given: []),
    )
    for name, what, module, constant, other in constants:
        yield Variant(
            name,
            what,
            "ours",
            swaps=lambda module=module, constant=constant, other=other: [(module, constant, other)],  # type: ignore[misc]
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


def _best_cue(answers: Callable[[Evocation], Answers]) -> Callable[[Evocation], Answers]:
    """Each cue looks for answers as if it were the only one; a concept's support is that of its best cue."""

    def best(evocation: Evocation) -> Answers:
        heaviest = max((cue.weight for cue in evocation.cues), default=0.0)
        if not heaviest:
            return answers(evocation)
        merged: dict[str, float] = {}
        paths = []
        for i, cue in enumerate(evocation.cues):
            own = tuple(replace(path, cue=0) for path in evocation.paths if path.cue == i)
            found = answers(replace(evocation, cues=(cue,), waves=evocation.waves[i : i + 1], paths=own))
            for concept, worth in found.support.items():
                merged[concept] = max(merged.get(concept, 0.0), worth * cue.weight / heaviest)
            paths += [replace(path, cue=i) for path in found.paths]
        paths.sort(key=lambda p: (-merged[evocation.ids[p.end]], -p.worth, p.cue, p.edges))
        return Answers(merged, tuple(paths), KEEP)

    return best


def _best_named(concepts: Sequence[str], answers: Answers, evocation: Evocation) -> float:
    """What a record mentions: its best answer or its heaviest cue, whatever else it names."""
    heaviest = max((cue.weight for cue in evocation.cues), default=0.0)
    return max((answers.support.get(concept, 0.0) for concept in concepts), default=0.0) if heaviest else 0.0


def _without(names: Sequence[str]) -> Sequence[Swap]:
    """The weights of both looks without those of these channels."""
    looks: Mapping[str, Mapping[str, float]] = {look: getattr(ranker, look) for look in LOOKS}
    return [
        (ranker, look, MappingProxyType({name: weight for name, weight in weights.items() if name not in names}))
        for look, weights in looks.items()
        if not weights.keys().isdisjoint(names)
    ]


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
    # Of a number it cannot be told whether another module's is the same one; numbers are read where they are written.
    places = homes if callable(original) or isinstance(original, Mapping) else [module]
    for home in places:
        setattr(home, name, other)
    try:
        yield
    finally:
        for home in places:
            setattr(home, name, original)
