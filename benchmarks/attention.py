"""How well records answer a question: fits the networks of `oroi_graph.recall.ranking.attention` on scenarios.

    pip install catboost jax optax
    python benchmarks/turn_questions.py --out turns.jsonl
    python benchmarks/attention.py corpora/natural-dev.jsonl:offline:2 turns.jsonl:offline … --write FILE.npz

SETS are those of `benchmarks/relevance.py`, whose trees are fitted first: each network adds to what trees say that
never saw the scenario. It maximises the probability of the records that help (listwise, the softmax over the records
that are read), by Adam with weight decay (Loshchilov and Hutter 2019); whole words and single numbers are dropped
meanwhile. Printed: how often the k most likely records hold everything required, by trees alone and with networks,
neither of which saw the scenario (for the first of seven parts only, as each takes minutes; --folds: for how many).
`--write` writes networks that are fitted on everything, in 16 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from relevance import DEPTHS, Asked, ask_all, evidence, folded, told, without_each

from oroi_graph.recall.ranking.attention import ASKED, CLOSE, LEAST, LIKELY, READ, SAID, Attention, signs
from oroi_graph.recall.ranking.relevance import ATTENDED, attended, to_read
from oroi_graph.recall_options import Selection

WIDTH = 64  # of the networks
EPOCHS, BATCH, RATE, DECAY, WARM = 2, 8, 1.5e-3, 0.05, 0.1  # WARM: the share of steps in which the rate grows
WORDS, WORD_SIGNS, COMPARED, JOINED = 0.15, 0.3, 0.2, 0.4  # shares that are dropped while fitting
SAMPLE = 3000  # records whose words set where the projections begin

Values = NDArray[np.float64]
Weights = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """What networks read of one question, padded, and what is to be learnt.

    asked: (ASKED, d), of which the first `words` are some; records: (ATTENDED, READ, d) and `lengths` (ATTENDED,);
    about: (ATTENDED, 3); told: (ATTENDED,) log odds of the trees; helps: (ATTENDED,) shares that sum to 1.
    """

    asked: NDArray[np.int8]
    words: int
    records: NDArray[np.int8]
    lengths: NDArray[np.int32]
    about: NDArray[np.float32]
    told: NDArray[np.float32]
    helps: NDArray[np.float32]
    times: float


def read(one: Asked, odds: Values) -> Read | None:
    """None where no record that helps is read. odds: (n,) what trees say of the records."""
    places, packed, about = to_read(one.ranked, odds)
    helps = one.helps[places].astype(np.float32)
    if one.ranked.words.asked is None or not helps.any():
        return None
    question = signs([one.ranked.words.asked])[0][:ASKED]
    asked = np.zeros((ASKED, question.shape[1]), dtype=np.int8)
    asked[: len(question)] = question
    records = np.zeros((ATTENDED, READ, question.shape[1]), dtype=np.int8)
    lengths = np.zeros(ATTENDED, dtype=np.int32)
    for i, words in enumerate(signs(packed)):
        lengths[i] = min(len(words), READ)
        records[i, : lengths[i]] = words[:READ]
    rest = (0, ATTENDED - len(packed))
    seen = odds[places] - odds.max()
    return Read(
        asked, len(question), records, lengths, np.pad(about, (rest, (0, 0))),
        np.pad(seen, rest, constant_values=-1e9).astype(np.float32), np.pad(helps / helps.sum(), rest), one.times,
    )  # fmt: skip


def fitted(questions: Sequence[Read], seed: int) -> dict[str, NDArray[np.float32]]:
    """The weights of one network."""
    try:
        import jax
        import optax
    except ImportError:
        raise click.ClickException("fitting needs JAX and Optax: pip install jax optax") from None
    steps = len(questions) // BATCH * EPOCHS
    rate = optax.warmup_cosine_decay_schedule(0.0, RATE, int(WARM * steps), steps)
    weights: Any = _begun(questions, seed)
    matrices = {name: value.ndim > 1 for name, value in weights.items()}
    adam = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=DECAY, mask=matrices))

    def loss(weights: Weights, batch: Mapping[str, Any], key: Any) -> Any:
        def one(question: Mapping[str, Any], key: Any) -> Any:
            scores = question["told"] + _scores(weights, question, key)
            return -question["times"] * (question["helps"] * jax.nn.log_softmax(scores)).sum()

        return jax.vmap(one)(batch, jax.random.split(key, BATCH)).mean()

    @jax.jit
    def step(weights: Weights, state: Any, batch: Mapping[str, Any], key: Any) -> Any:
        changes, state = adam.update(jax.grad(loss)(weights, batch, key), state, weights)
        return optax.apply_updates(weights, changes), state

    state, key, order = adam.init(weights), jax.random.key(seed), np.random.default_rng(seed)
    with click.progressbar(length=steps, label=f"network {seed}") as bar:
        for _ in range(EPOCHS):
            for places in order.permutation(len(questions))[: len(questions) // BATCH * BATCH].reshape(-1, BATCH):
                key, now = jax.random.split(key)
                chosen = [questions[i] for i in places]
                batch = {name: np.stack([getattr(one, name) for one in chosen]) for name in Read.__slots__}
                weights, state = step(weights, state, batch, now)
                bar.update(1)
    return {name: np.asarray(value) for name, value in weights.items()}


def _begun(questions: Sequence[Read], seed: int) -> dict[str, NDArray[np.float32]]:
    """Where fitting begins: projections on the principal components of records' words, else at random."""
    draw = np.random.default_rng(seed)
    words = np.concatenate([one.records[0, : one.lengths[0]] for one in questions[:SAMPLE]]).astype(np.float64)
    components = np.linalg.eigh(np.cov(words.T))[1][:, ::-1][:, :WIDTH] * np.sqrt(words.shape[1] / WIDTH)
    shapes = {
        "gate": (WIDTH, 1), "compare": (4 * WIDTH + 1, WIDTH), "answer": (3 * WIDTH, WIDTH),
        "joined": (3 * WIDTH + 3, WIDTH), "score": (WIDTH, 1), "alike": (WIDTH, WIDTH),
        "again": (3 * WIDTH + 4, WIDTH), "again_score": (WIDTH, 1),
    }  # fmt: skip
    matrices = {name: draw.normal(size=shape) / np.sqrt(shape[0]) for name, shape in shapes.items()}
    for name in ("score", "again_score"):
        matrices[name] *= 0.1
    biases = ("question_words", "record_words", "compare", "answer", "joined", "again")
    numbers = {"sharp": 2.0, "near": 8.0, "alike_sharp": 4.0, "alike_bias": -1.0}
    begun = {
        "question_words": components, "record_words": components, **matrices,
        **{f"{name}_bias": np.zeros(WIDTH) for name in biases},
        **{name: np.array(value) for name, value in numbers.items()},
    }  # fmt: skip
    return {name: np.asarray(value, dtype=np.float32) for name, value in begun.items()}


def _scores(w: Weights, question: Mapping[str, Any], key: Any) -> Any:
    """(ATTENDED,) What `Attention.scores` computes, in JAX, with some of it dropped at random."""
    import jax
    import jax.numpy as jnp

    keys = iter(jax.random.split(key, 10))

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
    content = scaled((r * holding[..., None]).sum(1)) @ w["alike"]
    there_is, at = question["lengths"] > 0, question["about"][:, 0]
    likely = jax.nn.softmax(jnp.where(there_is, question["told"] + first, -1e9))
    known = jnp.log(likely + LEAST)
    draws = content @ content.T / WIDTH * w["alike_sharp"] + known + w["alike_bias"]
    later = at[None] > at[:, None]
    beside, said = [joined], []
    for others in (later & there_is, later.T & there_is):
        drawn = jnp.where(others, draws, -1e9)
        shares = jax.nn.softmax(jnp.concatenate([drawn, jnp.zeros((len(at), 1))], 1), 1)[:, :-1]
        beside.append(shares @ joined)
        said.append(SAID * others @ likely)
    rest = jnp.stack([*said, LIKELY * known, question["about"][:, 2]], 1)
    again = jnp.concatenate([kept(jnp.concatenate(beside, 1), JOINED), rest], 1) @ w["again"] + w["again_bias"]
    return first + (jax.nn.relu(again) @ w["again_score"])[:, 0]


def _shares(asked: Sequence[Asked], score: Callable[[Asked], Values]) -> str:
    answerable = [(one, score(one)) for one in asked if one.question.required]
    shares = [np.mean([evidence(one, odds, depth) for one, odds in answerable]) for depth in DEPTHS]
    return ", ".join(f"{share:.3f} of {depth}" for depth, share in zip(DEPTHS, shares, strict=True))


@click.command()
@click.argument("sets", nargs=-1, required=True)
@click.option("--embedder", help="Whose words are read. Default: as the settings say.")
@click.option("--networks", default=4, show_default=True, help="How many are fitted; their mean counts.")
@click.option("--folds", default=1, show_default=True, help="How many folds are fitted apart, to print.")
@click.option("--write", type=click.Path(path_type=Path), help="Write the networks that are fitted on all SETS.")
def main(sets: Sequence[str], embedder: str | None, networks: int, folds: int, write: Path | None) -> None:
    """Fit on SETS, each FILE:EXTRACTION or FILE:EXTRACTION:TIMES, and print."""
    by_set = ask_all(sets, [embedder] if embedder else [])
    asked = [one for found in by_set.values() for one in found]
    fold = folded(asked)
    trees = without_each(asked, fold)
    odds = {id(one): told(one, trees[fold[one.scenario]]) for one in asked}
    questions = [(one, each) for one in asked if (each := read(one, odds[id(one)])) is not None]
    for i in range(folds):
        others = [each for one, each in questions if fold[one.scenario] != i]
        apart = [one for one in asked if fold[one.scenario] == i]
        fresh = Attention.of([fitted(others, seed) for seed in range(networks)])
        click.echo(f"fold {i}, {len(apart)} probes, trees: {_shares(apart, lambda one: odds[id(one)])}")
        added = partial(_added, fresh, odds)
        click.echo(f"fold {i}, with networks: {_shares(apart, added)}")
    if write is not None:
        final = Attention.of([fitted([each for _, each in questions], seed) for seed in range(networks)])
        stacked = {name: values.astype(np.float16) for name, values in final.weights.items()}
        np.savez_compressed(write, allow_pickle=False, **stacked)


def _added(networks: Attention, odds: Mapping[int, Values], one: Asked) -> Values:
    """(n,) The log odds of trees and networks, as recall adds them."""
    of_trees = odds[id(one)]
    return of_trees + Selection().attention * attended(networks, one.ranked, of_trees)


if __name__ == "__main__":
    main()
