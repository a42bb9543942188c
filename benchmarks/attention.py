r"""Fits the network of `oroi_graph.recall.ranking.attention` on scenarios, and the second reading that they read.

    pip install catboost jax optax
    python benchmarks/turn_questions.py --out turns.jsonl
    python benchmarks/attention.py corpora/natural-dev.jsonl:offline:2 turns.jsonl:offline … \
        --write NETWORK.npz --write-reading ADAPTERS.npz

SETS are those of `benchmarks/relevance.py`, whose trees are fitted first: the network adds to what trees say that
never saw the scenario. It maximises the probability of the records that help (listwise, the softmax over the records
that are read) and how far they are ahead of those that mislead (pairwise, a soft margin), and says which ones mislead
(each by itself, of questions of which some do) and whether none helps (of what was never said, and of each question
as if what helps had not been), by Adam with weight decay (Loshchilov and Hutter 2019); whole words, single numbers
and, of half of the questions, some records that do not help are dropped meanwhile. First it is fitted on the words of
the first reading, then together with adapters of the upper layers (`reading`), by the gradient of a soft sign (Bengio
et al. 2013, straight-through estimator), the questions of one conversation at a time.

Printed: how often the k most likely records hold everything required, by trees alone and with the network, neither of
which saw the scenario (for the first of seven parts only, as each takes two hours; --folds: for how many).
`--write` and `--write-reading` write the network and the adapters that are fitted on everything, in 16 bits.

--go-on begins with those that ship, and takes half an hour for a thousand conversations: new ones are learnt in one
round, together with some of the old ones, so that these are not forgotten. One conversation in eight of SETS is kept
apart, also from what is written. --part 0.5: what is written lies half of the way from what ships to what was fitted
(Wortsman et al. 2022), so that less is forgotten, and most of what is new is kept.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from reading import MOST, Layout, Upper, laid_out
from relevance import DEPTHS, Asked, ask_all, evidence, folded, told, without_each

from oroi_graph.providers.e5 import E5Small, read_adapters
from oroi_graph.providers.local import LocalModel
from oroi_graph.providers.word_vectors import bits
from oroi_graph.recall.ranking.attention import ASKED, CLOSE, LEAST, LIKELY, READ, SAID, TINY, Attention, shipped
from oroi_graph.recall.ranking.relevance import ATTENDED, TREES, attended, to_read
from oroi_graph.recall_options import Selection
from oroi_graph.server.fetch import ensure_e5_small
from oroi_graph.settings import Settings

WIDTH, SILENT_WIDTH = 64, 32  # of the network, and of what tells that nothing answers
EPOCHS, BATCH, RATE, DECAY, WARM = 2, 8, 1.5e-3, 0.05, 0.1  # WARM: the share of steps in which the rate grows
EPOCHS_TOGETHER, TOGETHER, RATE_TOGETHER, WARM_TOGETHER = 4, 28, 5e-4, 0.05  # TOGETHER: questions of a conversation
RECORDS = 64  # records of which those questions read some, at most
# Weights beside what helps: of how far that is ahead of what misleads, of what misleads, of whether nothing answers.
AHEAD, MISLEADING, SILENT = 0.4, 0.5, 0.3
# In which a question that is answered counts as it is, as if what answers it had not been said, and one never answered.
ANSWERED, UNSAID, NEVER = 0.75, 0.25, 3.0
WORDS, WORD_SIGNS, COMPARED, JOINED, SEEN = 0.2, 0.3, 0.2, 0.4, 0.2  # shares that are dropped while fitting
FEWER, RECORDS_GONE = 0.5, 0.3  # questions of which records are dropped, and the share of those that do not help
SAMPLE = 3000  # records whose words set where the projections begin
EPOCHS_ON, RATE_ON, APART = 1, 3e-4, 8  # going on from what ships; one conversation in APART is kept apart

Values = NDArray[np.float64]
Weights = Mapping[str, Any]
Both = Mapping[str, Weights]  # of the "network" and of the "adapters"


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """What the network reads of one question, padded, and what is to be learnt.

    scenario, question, texts: whose question it is, its text and that of each record that is read. asked: (ASKED, d),
    the signs of the first reading, of which the first `words` are some; records: (ATTENDED, READ, d) and `lengths`
    (ATTENDED,); about: (ATTENDED, 3); ties: (ATTENDED, ATTENDED, 2); told: (ATTENDED,) log odds of the trees; helps:
    (ATTENDED,) shares that sum to 1, or to 0 where the answer was never said; misleads: (ATTENDED,) 0 or 1.
    """

    scenario: str
    question: str
    texts: tuple[str, ...]
    asked: NDArray[np.int8]
    words: int
    records: NDArray[np.int8]
    lengths: NDArray[np.int32]
    about: NDArray[np.float32]
    ties: NDArray[np.float32]
    told: NDArray[np.float32]
    helps: NDArray[np.float32]
    misleads: NDArray[np.float32]
    times: float


WORDS_READ = ("asked", "words", "records", "lengths")
LEARNT = ("about", "ties", "told", "helps", "misleads", "times")


def read(one: Asked, odds: Values) -> Read | None:
    """None where the answer was said and no record that helps is read. odds: (n,) what trees say of the records."""
    places, packed, about, ties = to_read(one.ranked, odds)
    helps, misleads = (which[places].astype(np.float32) for which in (one.helps, one.misleads))
    if one.ranked.words.asked is None or (one.question.required and not helps.any()):
        return None
    question, *texts = _first_signs([one.ranked.words.asked, *packed], one.ranked.words.dimensions)
    asked = np.zeros((ASKED, question.shape[1]), dtype=np.int8)
    asked[: len(question)] = question[:ASKED]
    records = np.zeros((ATTENDED, READ, question.shape[1]), dtype=np.int8)
    lengths = np.zeros(ATTENDED, dtype=np.int32)
    for i, words in enumerate(texts):
        lengths[i] = min(len(words), READ)
        records[i, : lengths[i]] = words[:READ]
    rest = (0, ATTENDED - len(packed))
    seen = odds[places] - odds.max()
    hits = tuple(one.ranked.hits[i].text for i in places)
    return Read(
        one.scenario, one.question.text, hits, asked, min(len(question), ASKED), records, lengths,
        np.pad(about, (rest, (0, 0))), np.pad(ties, (rest, rest, (0, 0))),
        np.pad(seen, rest, constant_values=-1e9).astype(np.float32),
        np.pad(helps / max(1.0, helps.sum()), rest), np.pad(misleads, rest), one.times,
    )  # fmt: skip


def _first_signs(packed: Sequence[str], dimensions: int) -> list[NDArray[np.int8]]:
    """The first reading of each text's words, (words, d), as +1 and -1."""
    words, counts = bits(packed, dimensions)
    found = np.unpackbits(words.view(np.uint8), axis=1)[:, :dimensions].astype(np.int8) * 2 - 1
    return np.split(found, np.cumsum(counts)[:-1])


def fitted(questions: Sequence[Read], seed: int) -> dict[str, NDArray[np.float32]]:
    """The weights of a network that reads the words of the first reading."""
    jax, optax = _libraries()
    steps = len(questions) // BATCH * EPOCHS
    weights: Any = _begun(questions, seed)
    adam = _adam(weights, RATE, WARM, steps)

    def loss(weights: Weights, batch: Mapping[str, Any], key: Any) -> Any:
        return jax.vmap(partial(_loss, weights))(batch, jax.random.split(key, BATCH)).mean()

    @jax.jit
    def step(weights: Weights, state: Any, batch: Mapping[str, Any], key: Any) -> Any:
        changes, state = adam.update(jax.grad(loss)(weights, batch, key), state, weights)
        return optax.apply_updates(weights, changes), state

    state, key, order = adam.init(weights), jax.random.key(seed), np.random.default_rng(seed)
    with click.progressbar(length=steps, label="network") as bar:
        for _ in range(EPOCHS):
            for places in order.permutation(len(questions))[: len(questions) // BATCH * BATCH].reshape(-1, BATCH):
                key, now = jax.random.split(key)
                batch = _stacked([questions[i] for i in places], (*WORDS_READ, *LEARNT))
                weights, state = step(weights, state, batch, now)
                bar.update(1)
    return {name: np.asarray(value) for name, value in weights.items()}


def tuned(
    begun: Both, questions: Sequence[Read], seed: int, model: E5Small, epochs: int, rate: float
) -> dict[str, dict[str, NDArray[np.float32]]]:
    """A network and the adapters of the second reading, fitted together. begun: where they begin."""
    jax, optax = _libraries()
    forks, upper, order = Forks(model, questions), Upper(model), np.random.default_rng(seed)
    both: Any = {part: dict(weights) for part, weights in begun.items()}
    steps = epochs * sum(1 for _ in _together(questions, order))
    adam = _adam(both, rate, WARM_TOGETHER, steps)

    def loss(both: Any, batch: Mapping[str, Any], key: Any) -> Any:
        words = _soft_signs(upper.words(both["adapters"], batch["forks"], batch["texts"]))
        asked, records = words[batch["at_asked"]], words[batch["at_records"]]
        each = {name: batch[name] for name in ("words", "lengths", *LEARNT)}

        def one(question: Mapping[str, Any], asked: Any, among: Any, key: Any) -> Any:
            return _loss(both["network"], {**question, "asked": asked, "records": records[among]}, key)

        return jax.vmap(one)(each, asked, batch["among"], jax.random.split(key, TOGETHER)).mean()

    @jax.jit
    def step(both: Any, state: Any, batch: Mapping[str, Any], key: Any) -> Any:
        changes, state = adam.update(jax.grad(loss)(both, batch, key), state, both)
        return optax.apply_updates(both, changes), state

    state, key = adam.init(both), jax.random.key(seed)
    with click.progressbar(length=steps, label="network and reading") as bar:
        for _ in range(epochs):
            for group in _together(questions, order):
                key, now = jax.random.split(key)
                both, state = step(both, state, _conversation(group, forks), now)
                bar.update(1)
    return {part: {name: np.asarray(value) for name, value in weights.items()} for part, weights in both.items()}


class Forks:
    """The states of all texts of some questions where the two readings part."""

    def __init__(self, model: E5Small, questions: Sequence[Read]) -> None:
        self._questions = _forked(model.questions, {one.question for one in questions})
        self._records = _forked(model, {text for one in questions for text in one.texts})
        self._leads = [by.first_word for by in (model.questions, model)]

    def layout(self, asked: Sequence[str], records: Sequence[str]) -> Layout:
        """Questions first, then records."""
        forks = [self._questions[text] for text in asked] + [self._records[text] for text in records]
        return laid_out(forks, np.repeat(self._leads, [len(asked), len(records)]).tolist())


def _forked(model: LocalModel, texts: set[str]) -> dict[str, NDArray[np.float16]]:
    """{text: the states of its first tokens}."""
    some, found = sorted(texts), {}
    for rows, states in model.states(some):
        assert states.fork is not None
        for row, fork in zip(rows, states.fork, strict=True):
            cut = fork if len(fork) <= MOST else np.concatenate([fork[: MOST - 1], fork[-1:]])
            found[some[row]] = cut.astype(np.float16)
    return found


def _together(questions: Sequence[Read], order: np.random.Generator) -> Iterator[list[Read]]:
    """The questions in groups, each of one conversation, in a new order."""
    by: dict[str, list[Read]] = {}
    for one in questions:
        by.setdefault(one.scenario, []).append(one)
    groups: list[list[Read]] = []
    for some in by.values():
        mixed = [some[i] for i in order.permutation(len(some))]
        groups += [mixed[i : i + TOGETHER] for i in range(0, len(mixed), TOGETHER)]
    yield from (groups[i] for i in order.permutation(len(groups)))


def _conversation(group: Sequence[Read], forks: Forks) -> dict[str, Any]:
    """A batch of `tuned`: the questions of one conversation, padded by some that count nothing."""
    records = list(dict.fromkeys(text for one in group for text in one.texts))[:RECORDS]
    place = {text: i for i, text in enumerate(records)}
    layout, count = forks.layout([one.question for one in group], records), len(group)
    among = [[place.get(text, 0) for text in one.texts] + [0] * (ATTENDED - len(one.texts)) for one in group]
    filled = [*group, *[group[0]] * (TOGETHER - count)]
    batch = _stacked(filled, ("words", "lengths", *LEARNT))
    batch["times"][count:] = 0.0
    starts = np.pad(layout.starts, (0, RECORDS - len(records)))
    return {
        **batch, "forks": layout.forks, "texts": layout.texts,
        "at_asked": np.resize(starts[:count], TOGETHER)[:, np.newaxis] + np.arange(ASKED),
        "at_records": starts[count:][:, np.newaxis] + np.arange(READ),
        "among": np.array([*among, *[among[0]] * (TOGETHER - count)]),
    }  # fmt: skip


def _stacked(questions: Sequence[Read], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    return {name: np.stack([np.asarray(getattr(one, name)) for one in questions]) for name in names}


def _soft_signs(words: Any) -> Any:
    """+1 and -1, with the gradient of tanh."""
    import jax
    import jax.numpy as jnp

    soft = jnp.tanh(words)
    return soft + jax.lax.stop_gradient(jnp.sign(words) - soft)


def _libraries() -> tuple[Any, Any]:
    try:
        import jax
        import optax
    except ImportError:
        raise click.ClickException("fitting needs JAX and Optax: pip install jax optax") from None
    return jax, optax


def _adam(weights: Any, rate: float, warm: float, steps: int) -> Any:
    """Adam with weight decay of the network's matrices; adapters, which begin with nothing, do not decay."""
    jax, optax = _libraries()
    rates = optax.warmup_cosine_decay_schedule(0.0, rate, int(warm * steps), steps)
    decays = jax.tree_util.tree_map_with_path(
        lambda path, value: value.ndim > 1 and "adapters" not in jax.tree_util.keystr(path), weights
    )
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rates, weight_decay=DECAY, mask=decays))


def _loss(weights: Weights, question: Mapping[str, Any], key: Any) -> Any:
    import jax
    import jax.numpy as jnp

    question = _fewer(question, key)
    scores, misleads, silent = _scores(weights, question, key)
    odds = question["told"] + scores
    helping = -(question["helps"] * jax.nn.log_softmax(odds)).sum()
    apart = jax.nn.softplus(misleads) - misleads * question["misleads"]
    misleading = jnp.where(question["lengths"] > 0, apart, 0.0).sum() * question["misleads"].any()
    unsaid = _scores(weights, _without(question, question["helps"] > 0), key)[2]
    answered = ANSWERED * jax.nn.softplus(silent) + UNSAID * jax.nn.softplus(-unsaid)
    none = jnp.where(question["helps"].any(), answered, NEVER * jax.nn.softplus(-silent))
    ahead = AHEAD * _behind(question, odds)
    return question["times"] * (helping + ahead + MISLEADING * misleading + SILENT * none)


def _behind(question: Mapping[str, Any], odds: Any) -> Any:
    """How little each record that helps is ahead of each one that misleads, softly below one unit; the mean."""
    import jax
    import jax.numpy as jnp

    rivals = (question["misleads"] > 0) & (question["helps"] <= 0) & (question["lengths"] > 0)
    pairs = (question["helps"] > 0)[:, None] & rivals
    behind = jax.nn.softplus(1.0 - (odds[:, None] - odds))
    return jnp.where(pairs, behind, 0.0).sum() / jnp.maximum(pairs.sum(), 1)


def _fewer(question: Mapping[str, Any], key: Any) -> dict[str, Any]:
    """A question as if some of the records that do not help had not been said, by chance."""
    import jax

    first, second = jax.random.split(jax.random.fold_in(key, len(WORDS_READ)))
    gone = jax.random.bernoulli(first, FEWER) & jax.random.bernoulli(second, RECORDS_GONE, question["helps"].shape)
    gone = gone & (question["helps"] <= 0)
    some = ((question["lengths"] > 0) & ~gone).any()
    return _without(question, gone & some)


def _without(question: Mapping[str, Any], gone: Any) -> dict[str, Any]:
    """A question as if some records had not been said. gone: (ATTENDED,) which."""
    import jax.numpy as jnp

    left = (question["lengths"] > 0) & ~gone
    told = jnp.where(left, question["told"], -1e9)
    told = jnp.where(left, told - told.max(), -1e9)
    return {**question, "lengths": jnp.where(left, question["lengths"], 0), "told": told}


def _begun(questions: Sequence[Read], seed: int) -> dict[str, NDArray[np.float32]]:
    """Where fitting begins: projections on the principal components of records' words, else at random."""
    draw = np.random.default_rng(seed)
    words = np.concatenate([one.records[0, : one.lengths[0]] for one in questions[:SAMPLE]]).astype(np.float64)
    components = np.linalg.eigh(np.cov(words.T))[1][:, ::-1][:, :WIDTH] * np.sqrt(words.shape[1] / WIDTH)
    shapes = {
        "gate": (WIDTH, 1), "compare": (4 * WIDTH + 1, WIDTH), "answer": (3 * WIDTH, WIDTH),
        "joined": (3 * WIDTH + 3, WIDTH), "score": (WIDTH, 1), "alike": (WIDTH, WIDTH),
        "tied": (WIDTH, WIDTH), "together": (2 * WIDTH, WIDTH),
        "again": (5 * WIDTH + 5, WIDTH), "again_score": (WIDTH, 1),
        "misleads": (5 * WIDTH + 5, WIDTH), "misleads_score": (WIDTH, 1),
        "silent": (6 * WIDTH + 7, SILENT_WIDTH), "silent_whole": (2 * SILENT_WIDTH + WIDTH + 4, SILENT_WIDTH),
        "silent_score": (SILENT_WIDTH, 1),
    }  # fmt: skip
    matrices = {name: draw.normal(size=shape) / np.sqrt(shape[0]) for name, shape in shapes.items()}
    for name in ("score", "again_score", "misleads_score"):
        matrices[name] *= 0.1
    biases = (
        "question_words", "record_words", "compare", "answer", "joined", "together", "again", "misleads", "silent",
        "silent_whole",
    )  # fmt: skip
    numbers = {
        "sharp": 2.0, "near": 8.0, "alike_sharp": 4.0, "alike_bias": -1.0, "tied_sharp": 1.0, "tied_level": -1.5,
        "tied_rarest": 3.0, "tied_rarity": 0.5, "tied_likely": 0.3, "misleads_level": -2.5, "silent_level": -1.0,
    }  # fmt: skip
    begun = {
        "question_words": components, "record_words": components, **matrices,
        **{f"{name}_bias": np.zeros(shapes.get(name, (0, WIDTH))[1]) for name in biases},
        **{name: np.array(value) for name, value in numbers.items()},
    }  # fmt: skip
    return {name: np.asarray(value, dtype=np.float32) for name, value in begun.items()}


def _scores(w: Weights, question: Mapping[str, Any], key: Any) -> Any:
    """(ATTENDED,) twice and (): what `Attention.scores` computes, in log odds, in JAX, with some dropped at random."""
    import jax
    import jax.numpy as jnp

    keys = iter(jax.random.split(key, 13))

    def kept(x: Any, share: float, shape: tuple[int, ...] | None = None) -> Any:
        return x * jax.random.bernoulli(next(keys), 1 - share, shape or x.shape) / (1 - share)

    def scaled(x: Any) -> Any:
        return x / jnp.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)

    def there(count: Any, most: int, share: float) -> Any:  # the first word always is
        place = jnp.arange(most)
        stays = jax.random.bernoulli(next(keys), 1 - share, (*jnp.shape(count), most)) | (place == 0)
        return (place < jnp.asarray(count)[..., None]) & stays

    asking, holding = there(question["words"], ASKED, WORDS / 2), there(question["lengths"], READ, WORDS)
    asked, records = (question[name].astype(jnp.float32) for name in ("asked", "records"))
    cosines = jnp.where(holding[:, None], jnp.einsum("qd,nrd->nqr", asked, records) / asked.shape[1], -1.0)
    q = scaled(kept(asked, WORD_SIGNS) @ w["question_words"] + w["question_words_bias"])
    of_all = (len(records), 1, records.shape[2])  # the same signs of all words of a record
    r = scaled(kept(records, WORD_SIGNS, of_all) @ w["record_words"] + w["record_words_bias"])
    attending = jnp.einsum("qd,nrd->nqr", q, r) / WIDTH**0.5 * w["sharp"] + w["near"] * cosines
    found = jax.nn.softmax(jnp.where(holding[:, None], attending, -1e9), -1) @ r
    same = jnp.broadcast_to(q, found.shape)
    compared = kept(jnp.concatenate([same, found, same * found, jnp.abs(same - found)], -1), COMPARED)
    compared = jnp.concatenate([compared, CLOSE * cosines.max(-1)[..., None]], -1)
    compared = jax.nn.relu(compared @ w["compare"] + w["compare_bias"])
    counts = jax.nn.softmax(jnp.where(asking, (q @ w["gate"])[:, 0], -1e9))
    whole = counts @ q
    beside = jnp.broadcast_to(whole, r.shape)
    answers = kept(jnp.concatenate([r, beside, r * whole], -1), COMPARED) @ w["answer"] + w["answer_bias"]
    answers = jnp.where(holding[..., None], jax.nn.relu(answers), 0.0).max(1)
    counted = jnp.einsum("q,nqd->nd", counts, compared)
    joined = jnp.concatenate([counted, answers, jnp.broadcast_to(whole, answers.shape), question["about"]], -1)
    joined = jax.nn.relu(kept(joined, JOINED) @ w["joined"] + w["joined_bias"])
    first = (kept(joined, JOINED) @ w["score"])[:, 0]
    content = scaled((r * holding[..., None]).sum(1))
    there_is, at = question["lengths"] > 0, question["about"][:, 0]
    likely = jax.nn.softmax(jnp.where(there_is, question["told"] + first, -1e9))
    known = jnp.log(likely + LEAST)

    def alike(name: str) -> Any:
        seen = content @ w[name]
        return seen @ seen.T / WIDTH * w[f"{name}_sharp"]

    def shares(draws: Any, others: Any) -> Any:
        drawn = jnp.concatenate([jnp.where(others, draws, -1e9), jnp.zeros((len(at), 1))], 1)
        return jax.nn.softmax(drawn, 1)[:, :-1]

    draws = alike("alike") + known + w["alike_bias"]
    later = at[None] > at[:, None]
    beside, said = [joined], []
    for others in (later & there_is, later.T & there_is):
        beside.append(shares(draws, others) @ joined)
        said.append(SAID * others @ likely)
    rest = jnp.stack([*said, LIKELY * known, question["about"][:, 2]], 1)
    rarest, rarity = question["ties"][..., 0], question["ties"][..., 1]
    draws = alike("tied") + w["tied_rarest"] * rarest + w["tied_rarity"] * rarity
    tied = shares(draws + w["tied_likely"] * known + w["tied_level"], (rarest > 0) & there_is & there_is[:, None])
    both = jnp.concatenate([compared, jnp.einsum("nm,mqh->nqh", tied, compared)], -1)
    both = jax.nn.relu(kept(both, COMPARED) @ w["together"] + w["together_bias"])
    shared = [tied @ joined, jnp.einsum("q,nqh->nh", counts, both)]
    seen = [kept(jnp.concatenate(beside, 1), JOINED), rest, kept(jnp.concatenate(shared, 1), JOINED)]
    seen = jnp.concatenate([*seen, tied.sum(1, keepdims=True)], 1)
    again, misleads = (
        (jax.nn.relu(seen @ w[name] + w[f"{name}_bias"]) @ w[f"{name}_score"])[:, 0] for name in ("again", "misleads")
    )
    scores, misleads = first + again, misleads + w["misleads_level"]
    likely = jax.nn.softmax(jnp.where(there_is, question["told"] + scores, -1e9))
    numbers = jnp.stack([misleads, LIKELY * jnp.log(likely + LEAST)], 1)
    rows = jax.nn.relu(kept(jnp.concatenate([seen, numbers, answers], 1), SEEN) @ w["silent"] + w["silent_bias"])
    spread, misleading = -(likely * jnp.log(likely + TINY)).sum(), (likely * jax.nn.sigmoid(misleads)).sum()
    told = jnp.stack([spread, likely.max(), misleading, question["about"][0, 2]])
    of_all = [jnp.where(there_is[:, None], rows, 0.0).max(0), likely @ rows, whole, told]
    silent = jax.nn.relu(jnp.concatenate(of_all) @ w["silent_whole"] + w["silent_whole_bias"]) @ w["silent_score"]
    return scores, misleads, silent[0] + w["silent_level"]


def _shares(asked: Sequence[Asked], score: Callable[[Asked], Values]) -> str:
    answerable = [(one, score(one)) for one in asked if one.question.required]
    shares = [np.mean([evidence(one, odds, depth) for one, odds in answerable]) for depth in DEPTHS]
    return ", ".join(f"{share:.3f} of {depth}" for depth, share in zip(DEPTHS, shares, strict=True))


@click.command()
@click.argument("sets", nargs=-1, required=True)
@click.option("--folds", default=1, show_default=True, help="How many folds are fitted apart, to print.")
@click.option("--go-on", is_flag=True, help="Go on from trees, network and adapters that ship, for one round.")
@click.option("--part", default=1.0, show_default=True, help="With --go-on: how far to go, 1 the whole way.")
@click.option("--write", type=click.Path(path_type=Path), help="Write the network that is fitted.")
@click.option("--write-reading", type=click.Path(path_type=Path), help="Write the adapters that are fitted with it.")
def main(
    sets: Sequence[str], folds: int, go_on: bool, part: float, write: Path | None, write_reading: Path | None
) -> None:
    """Fit on SETS, each FILE:EXTRACTION or FILE:EXTRACTION:TIMES, and print."""
    asked = [one for found in ask_all(sets, ["e5-small"]).values() for one in found]
    model = E5Small(ensure_e5_small(Settings.from_env().cache_dir))
    found = _gone_on(asked, model, part) if go_on else _fitted_anew(asked, model, folds, bool(write or write_reading))
    for path, of in ((write, "network"), (write_reading, "adapters")):
        if path is not None:
            halves = {name: value.astype(np.float16) for name, value in found[of].items()}
            np.savez_compressed(path, allow_pickle=False, **halves)


def _gone_on(asked: Sequence[Asked], model: E5Small, part: float) -> Both:
    """Network and adapters for one round more than those that ship, on all conversations but one in APART.

    part: of the way to those that were fitted, 0 to 1.
    """
    odds = {id(one): told(one, TREES) for one in asked}
    apart: list[Asked] = []
    questions: list[Read] = []
    for one in asked:
        if zlib.crc32(one.scenario.encode()) % APART == 0:
            apart.append(one)
        elif (each := read(one, odds[id(one)])) is not None:
            questions.append(each)
    network = shipped(model.model)
    assert network is not None
    adapters = {name: value.astype(np.float32) for name, value in read_adapters().items()}
    begun = {"network": network.weights, "adapters": adapters}
    fitted_on = tuned(begun, questions, 0, model, EPOCHS_ON, RATE_ON)
    found = {
        of: {name: (1 - part) * value + part * fitted_on[of][name] for name, value in weights.items()}
        for of, weights in begun.items()
    }
    for name, both in (("that ships", begun), ("now", found)):
        click.echo(f"kept apart, {len(apart)} probes, the network {name}: {_shares(apart, _added(both, model, odds))}")
    return found


def _fitted_anew(asked: Sequence[Asked], model: E5Small, folds: int, whole: bool) -> Both:
    """Network and adapters that are fitted on everything, beside trees that saw none of it; nothing if not `whole`."""
    fold = folded(asked)
    trees = without_each(asked, fold)
    odds = {id(one): told(one, trees[fold[one.scenario]]) for one in asked}
    questions = [(one, each) for one in asked if (each := read(one, odds[id(one)])) is not None]

    def both(some: Sequence[Read]) -> Both:
        begun = {"network": fitted(some, 0), "adapters": Upper(model).begun(0)}
        return tuned(begun, some, 0, model, EPOCHS_TOGETHER, RATE_TOGETHER)

    for i in range(folds):
        found = both([each for one, each in questions if fold[one.scenario] != i])
        apart = [one for one in asked if fold[one.scenario] == i]
        click.echo(f"fold {i}, {len(apart)} probes, trees: {_shares(apart, lambda one: odds[id(one)])}")
        click.echo(f"fold {i}, with the network: {_shares(apart, _added(found, model, odds))}")
    return both([each for _, each in questions]) if whole else {}


def _added(both: Both, model: E5Small, odds: Mapping[int, Values]) -> Callable[[Asked], Values]:
    """What tells the log odds, (n,), of trees and the network together, as recall adds them."""
    network, reading = Attention(both["network"]), E5Small(model.folder, adapters=both["adapters"])

    def added(one: Asked) -> Values:
        of_trees, hits = odds[id(one)], one.ranked.hits
        [asked], held = (
            by.embed_words(texts)[1]
            for by, texts in ((reading.questions, [one.question.text]), (reading, [hit.text for hit in hits]))
        )
        words = replace(one.ranked.words, asked=asked, held=dict(zip([hit.id for hit in hits], held, strict=True)))
        ranked = replace(one.ranked, words=words)
        return of_trees + Selection().attention * attended(network, ranked, of_trees).answering

    return added


if __name__ == "__main__":
    main()
