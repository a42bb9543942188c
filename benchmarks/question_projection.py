"""Moves questions towards the statements that answer them: fits `oroi_graph/providers/projections`.

    python benchmarks/question_projection.py                         # figures, cross-validated by conversation
    python benchmarks/question_projection.py --locomo FILE --write   # with a LoCoMo file, too; keeps the projection

A sentence embedder is trained on pairs of alike sentences, but a question and its answer are not alike ("Who should I
call about the boiler?", "Deniz fixed our heating last winter"). A projection of low rank, q' = q + V Uᵀ q, is fitted so
that the turns that answer a question are nearer to it than the conversation's other turns (softmax over turns, as in
listwise ranking, Cao et al. 2007). It is the same for every memory and changes no stored vector.

Read are the development scenarios of `corpora/` (a turn that holds something required and nothing forbidden answers),
and `labels/questions.jsonl`, which was written for this.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from oroi_graph.connection import open_embedder
from oroi_graph.evaluation.datasets.dataset import Case
from oroi_graph.evaluation.datasets.locomo import read_conversations
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.scoring import says
from oroi_graph.language.normalize import without_names
from oroi_graph.providers.projection import FOLDER
from oroi_graph.providers.protocols import Embedder
from oroi_graph.settings import Settings

HERE = Path(__file__).parent
CORPORA = ("natural-dev", "authored", "authored-unseen", "scenarios-dev", "past-dev")
PAIRS = HERE / "labels" / "questions.jsonl"
RANK = 8
RIDGE = 0.03
SHARPNESS = 20.0  # of the softmax over cosines
STEPS = 40
FOLDS = 5
DEPTHS = (1, 5, 10)

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of one conversation and the questions about it. answers: indexes of turns, at least one a question."""

    origin: str
    name: str
    turns: tuple[str, ...]
    questions: tuple[str, ...]
    answers: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Embedded:
    """A conversation as vectors. turns: (n, d). questions: (m, d). answers: (m, n) bool."""

    origin: str
    turns: Matrix
    questions: Matrix
    answers: NDArray[np.bool_]


def conversations(locomo: Path | None) -> Iterator[Conversation]:
    """Every conversation with at least one question that is answered."""
    for name in CORPORA:
        for case in read_scenarios(HERE / "corpora" / f"{name}.jsonl", "gold").cases:
            yield _of_case(case, name)
    for case in read_conversations(locomo).cases if locomo else ():
        yield _of_case(case, "locomo")
    for number, line in enumerate(PAIRS.read_text(encoding="utf-8").splitlines()):
        group = json.loads(line)
        asked = [(one["question"], tuple(one["answers"])) for one in group["questions"]]
        yield Conversation(f"questions-{group['language']}", f"{number}", tuple(group["turns"]), *_columns(asked))


def _of_case(case: Case, origin: str) -> Conversation:
    """Speakers' names are taken out, as recall does, before a text is embedded."""
    speakers = {scripted.turn.speaker for scripted in case.turns}
    asked = []
    for question in case.questions:
        answers = tuple(
            i for i, scripted in enumerate(case.turns)
            if scripted.turn.id in question.evidence
            or (scripted.turn.role == "user" and _says(scripted.turn.text, question.required, question.forbidden))
        )  # fmt: skip
        asked.append((without_names(question.text, speakers), answers))
    turns = tuple(without_names(scripted.turn.text, speakers) or "." for scripted in case.turns)
    return Conversation(origin, case.name, turns, *_columns(asked))


def _says(text: str, required: Sequence[Sequence[str]], forbidden: Sequence[Sequence[str]]) -> bool:
    return any(says(text, some) for some in required) and not any(says(text, some) for some in forbidden)


def _columns(asked: Sequence[tuple[str, tuple[int, ...]]]) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    answered = [one for one in asked if one[1]]
    return tuple(text for text, _ in answered), tuple(answers for _, answers in answered)


def embedded(found: Sequence[Conversation], embedder: Embedder) -> list[Embedded]:
    """The conversations that have questions, as vectors."""
    result = []
    with click.progressbar([one for one in found if one.questions], label="embedding") as shown:
        for one in shown:
            answers = np.zeros((len(one.questions), len(one.turns)), dtype=np.bool_)
            for row, indexes in enumerate(one.answers):
                answers[row, list(indexes)] = True
            turns, questions = (embedder.embed(texts).astype(np.float64) for texts in (one.turns, one.questions))
            result.append(Embedded(one.origin, turns, questions, answers))
    return result


def fitted(found: Sequence[Embedded], rank: int = RANK, ridge: float = RIDGE) -> tuple[Matrix, Matrix]:
    """U and V, each (d, rank): a question q is moved to q + V Uᵀ q. Deterministic."""
    d = found[0].turns.shape[1]
    count = sum(len(one.questions) for one in found)
    start = np.concatenate([0.01 * np.random.default_rng(0).normal(size=d * rank), np.zeros(d * rank)])

    def loss(x: Matrix) -> tuple[float, Matrix]:
        u, v = x.reshape(2, d, rank)
        total, du, dv = 0.0, np.zeros_like(u), np.zeros_like(v)
        for one in found:
            down, up = one.questions @ u, one.turns @ v
            score = SHARPNESS * (one.questions @ one.turns.T + down @ up.T)
            odds = np.exp(score - score.max(axis=1, keepdims=True))
            right = odds * one.answers
            mass, p = right.sum(axis=1, keepdims=True), odds / odds.sum(axis=1, keepdims=True)
            total -= float(np.log(np.maximum(mass / odds.sum(axis=1, keepdims=True), 1e-300)).sum())
            slope = SHARPNESS * (p - right / np.maximum(mass, 1e-300))
            du += one.questions.T @ (slope @ up)
            dv += one.turns.T @ (slope.T @ down)
        penalty = ridge * float((x**2).sum())
        return total / count + penalty, np.concatenate([du.ravel(), dv.ravel()]) / count + 2 * ridge * x

    found_x = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    u, v = found_x.reshape(2, d, rank)
    return u, v


def recall(one: Embedded, questions: Matrix) -> Matrix:
    """(m, 3) float64: of each question the share of its answers among the turns nearest to it, by DEPTHS."""
    order = np.argsort(-(questions @ one.turns.T), axis=1, kind="stable")
    ranked = np.take_along_axis(one.answers, order, axis=1)
    return np.stack([ranked[:, :k].sum(axis=1) / ranked.sum(axis=1) for k in DEPTHS], axis=1)


@click.command()
@click.option("--locomo", type=click.Path(exists=True, path_type=Path), help="LoCoMo's development conversations.")
@click.option("--write", is_flag=True, help="Keep the projection that is fitted on everything.")
def main(locomo: Path | None, write: bool) -> None:
    """Fit, and print recall before and after for each set."""
    embedder = open_embedder(Settings.from_env())
    found = embedded(list(conversations(locomo)), embedder)
    fold = np.random.default_rng(0).permutation(len(found)) % FOLDS
    before: dict[str, list[Matrix]] = {}
    after: dict[str, list[Matrix]] = {}
    for i in range(FOLDS):
        u, v = fitted([one for one, part in zip(found, fold, strict=True) if part != i])
        for one, part in zip(found, fold, strict=True):
            if part == i:
                before.setdefault(one.origin, []).append(recall(one, one.questions))
                after.setdefault(one.origin, []).append(recall(one, one.questions + one.questions @ u @ v.T))
    click.echo(f"{'':18s} questions   recall@{'/'.join(map(str, DEPTHS))} before    after")
    for origin in sorted(before):
        old, new = np.concatenate(before[origin]), np.concatenate(after[origin])
        told = "   ".join(" ".join(f"{share:.3f}" for share in some.mean(axis=0)) for some in (old, new))
        click.echo(f"{origin:18s} {len(old):9d}   {told}")
    if write:
        u, v = fitted(found)
        path = Path(str(FOLDER / f"{embedder.model}.npz"))
        np.savez_compressed(path, down=u.astype(np.float32), up=v.astype(np.float32))
        click.echo(f"written: {path.name}")


if __name__ == "__main__":
    main()
