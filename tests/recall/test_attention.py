"""A network that reads a record's words against the question's: of random weights, and the one that ships."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from oroi_graph.providers import minilm
from oroi_graph.providers.e5 import MODEL, E5Small
from oroi_graph.providers.word_vectors import pack
from oroi_graph.recall.ranking.attention import (
    ASKED,
    READ,
    Attention,
    Heard,
    _beside,
    _read,
    heard,
    shipped,
    signs,
)
from oroi_graph.recall.ranking.features import Values
from oroi_graph.recall.ranking.layers import MOST, Numbers, product
from oroi_graph.recall.ranking.relevance import ATTENDED

DIMENSIONS, WIDTH, NARROW = 64, 8, 4
SHAPES: Mapping[str, tuple[int, ...]] = {
    "question_words": (DIMENSIONS, WIDTH), "question_words_bias": (WIDTH,), "record_words": (DIMENSIONS, WIDTH),
    "record_words_bias": (WIDTH,), "gate": (WIDTH, 1), "compare": (4 * WIDTH + 1, WIDTH), "compare_bias": (WIDTH,),
    "answer": (3 * WIDTH, WIDTH), "answer_bias": (WIDTH,), "joined": (3 * WIDTH + 3, WIDTH), "joined_bias": (WIDTH,),
    "score": (WIDTH, 1), "sharp": (), "near": (), "alike": (WIDTH, WIDTH), "alike_sharp": (), "alike_bias": (),
    "tied": (WIDTH, WIDTH), "tied_sharp": (), "tied_rarest": (), "tied_rarity": (), "tied_likely": (), "tied_level": (),
    "together": (2 * WIDTH, WIDTH), "together_bias": (WIDTH,),
    "again": (5 * WIDTH + 5, WIDTH), "again_bias": (WIDTH,), "again_score": (WIDTH, 1),
    "misleads": (5 * WIDTH + 5, WIDTH), "misleads_bias": (WIDTH,), "misleads_score": (WIDTH, 1), "misleads_level": (),
    "silent": (6 * WIDTH + 7, NARROW), "silent_bias": (NARROW,), "silent_whole": (2 * NARROW + WIDTH + 4, NARROW),
    "silent_whole_bias": (NARROW,), "silent_score": (NARROW, 1), "silent_level": (),
}  # fmt: skip
draw = np.random.default_rng(7)


ANSWERED = (  # a question, what answers it, and what shares its words
    ("Where do I work?", "My first fortnight at the hospice shop is behind me.", "Work was dreadful, I cried."),
    ("who looks after the kids?", "Mum has the little ones on Tuesdays.", "The kids have a cold again."),
    ("What time is my train?", "I leave at ten past seven from Leeds.", "The train was packed and it smelled of fish."),
    ("Who fixed the boiler?", "Deniz got the heating going again.", "The boiler is in the cupboard upstairs."),
    (
        "How much did the sofa cost?",
        "We paid 420 for it in the end, delivery included.",
        "The sofa is green and the cat loves it.",
    ),
    ("¿En qué trabajo?", "Desde el lunes atiendo el mostrador de la farmacia.", "El trabajo me tiene agotada."),
    ("¿Cuándo es la boda?", "Se casan el 14 de junio en Ronda.", "La boda me va a costar un riñón."),
    ("¿Quién cuida a mi madre?", "Rosario se queda con mamá por las mañanas.", "Mi madre está de mal humor."),
    (
        "¿Dónde aprendió mi hijo a nadar?",
        "Al peque lo apuntamos a la piscina de Etxebarri.",
        "Mi hijo odia el agua fría.",
    ),
    ("Quando é a consulta?", "O dentista passou para dia 14 às dez.", "A consulta foi mesmo chata, doeu imenso."),
    ("Onde moro agora?", "Já estamos instalados no andar da Maia.", "Agora moro com os nervos em franja."),
    ("Quem me vai levar ao aeroporto?", "O Zeca dá-me boleia para o voo.", "O aeroporto estava um caos."),
)


def network() -> dict[str, Numbers]:
    found = {name: np.asarray(draw.normal(size=shape), dtype=np.float32) for name, shape in SHAPES.items()}
    for name in ("misleads_score", "silent_score"):
        found[name] *= np.float32(0.02)  # so that no probability is 0 or 1
    return found


def words(count: int) -> str:
    return packed(draw.normal(size=(count, DIMENSIONS)))


def packed(reading: NDArray[np.floating]) -> str:
    """Words whose first reading says nothing of the second one."""
    return pack(np.ones_like(reading), reading)


def hear(asked: int, *said: int) -> tuple[Heard, list[Heard]]:
    """What the network of random weights hears in random words of a question and of records; so many of each."""
    of_question, *of_records = (signs(words(count), DIMENSIONS, count) for count in (asked, *said))
    w = RANDOM.weights
    return heard(w, "question_words", of_question), [heard(w, "record_words", one) for one in of_records]


def about(count: int, *, past: bool = False) -> Numbers:
    found = np.zeros((count, 3), dtype=np.float32)
    found[:, 0] = np.linspace(-0.5, 0.5, count)
    found[:, 2] = past
    return found


def ties(count: int, *pairs: tuple[int, int]) -> Numbers:
    """Between some pairs of records."""
    found = np.zeros((count, count, 2), dtype=np.float32)
    for i, j in pairs:
        found[i, j] = found[j, i] = (0.6, 0.9)
    return found


RANDOM = Attention(network())


@pytest.fixture(autouse=True)
def drawn_anew() -> None:
    """What a test draws does not depend on the tests before it."""
    draw.bit_generator.state = np.random.default_rng(8).bit_generator.state


def nothing(count: int) -> Values:
    """What all else says of records, where it says nothing."""
    return np.zeros(count)


def scaled(x: Numbers) -> Numbers:
    scaled: Numbers = x / np.sqrt((x @ x) / len(x) + 1e-6)
    return scaled


class Plain(NamedTuple):
    """What a network sees of one record, the most that its words answer, what it is about, and the question."""

    joined: Numbers
    answers: Numbers
    content: Numbers
    compared: list[Numbers]
    whole: Numbers
    counts: Numbers


def plainly(w: Mapping[str, Numbers], asked: Numbers, said: Numbers, told: Numbers) -> Plain:
    """Word by word."""
    q = [scaled(word @ w["question_words"] + w["question_words_bias"]) for word in asked]
    r = [scaled(word @ w["record_words"] + w["record_words_bias"]) for word in said]
    compared, weights = [], np.exp([(one @ w["gate"])[0] for one in q])
    for word, one in zip(asked, q, strict=True):
        cosines = [word @ other / DIMENSIONS for other in said]
        drawn = np.exp([one @ r[j] * w["sharp"] / WIDTH**0.5 + w["near"] * cosines[j] for j in range(len(r))])
        found = sum(share * other for share, other in zip(drawn / drawn.sum(), r, strict=True))
        beside = np.concatenate([one, found, one * found, np.abs(one - found), [3 * max(cosines)]])
        compared.append(np.maximum(beside @ w["compare"] + w["compare_bias"], 0))
    shares = weights / weights.sum()
    whole = sum(share * one for share, one in zip(shares, q, strict=True))
    answers = [np.concatenate([one, whole, one * whole]) @ w["answer"] + w["answer_bias"] for one in r]
    counted = sum(share * one for share, one in zip(shares, compared, strict=True))
    most = np.maximum(np.max(answers, axis=0), 0)
    joined = np.concatenate([counted, most, whole, told])
    joined = np.maximum(joined @ w["joined"] + w["joined_bias"], 0)
    return Plain(joined, most, scaled(sum(r)), compared, whole, shares)


def besides(
    w: Mapping[str, Numbers], read: Sequence[Plain], about: Numbers, ties: Numbers, odds: Values
) -> list[Numbers]:
    """Each record beside what was said after and before it, and what shares a word with it, one by one."""
    likely = np.exp(odds) / np.exp(odds).sum()
    found = []
    for i, one in enumerate(read):
        seen, content = one.joined, one.content
        beside, said = [seen], []
        for sign in (1, -1):
            others = [j for j in range(len(read)) if sign * about[j, 0] > sign * about[i, 0]]
            drawn = [(content @ w["alike"]) @ (read[j].content @ w["alike"]) / WIDTH * w["alike_sharp"] for j in others]
            shares = [np.exp(one + w["alike_bias"]) * (likely[j] + 1e-4) for one, j in zip(drawn, others, strict=True)]
            whole = sum(shares) + 1
            beside.append(sum((s / whole * read[j].joined for s, j in zip(shares, others, strict=True)), 0 * seen))
            said.append(2 * sum(likely[j] for j in others))
        rest = [0.3 * np.log(likely[i] + 1e-4), about[i, 2]]
        found.append(np.concatenate([*beside, said, rest, shared(w, read, ties[i], likely, i)]))
    return found


def shared(w: Mapping[str, Numbers], read: Sequence[Plain], ties: Numbers, likely: Values, i: int) -> Numbers:
    """What a record finds in those that share a word with it, and how much of its attention they get."""
    one, shares = read[i], {}
    for j, (rarest, rarity) in enumerate(ties):
        if rarest > 0:
            drawn = (one.content @ w["tied"]) @ (read[j].content @ w["tied"]) / WIDTH * w["tied_sharp"]
            drawn += w["tied_rarest"] * rarest + w["tied_rarity"] * rarity + w["tied_level"]
            shares[j] = np.exp(drawn) * (likely[j] + 1e-4) ** w["tied_likely"]
    whole = sum(shares.values()) + 1
    joined = sum((share / whole * read[j].joined for j, share in shares.items()), 0 * one.joined)
    together = 0 * one.joined
    for word, (own, count) in enumerate(zip(one.compared, one.counts, strict=True)):
        others = sum((share / whole * read[j].compared[word] for j, share in shares.items()), 0 * own)
        together = together + count * layer(w, np.concatenate([own, others]), "together")
    return np.concatenate([joined, together, [1 - 1 / whole]])


def layer(w: Mapping[str, Numbers], row: Numbers, name: str) -> Numbers:
    of_all: Numbers = np.maximum(row @ w[name] + w[f"{name}_bias"], 0)
    return of_all


def scored(w: Mapping[str, Numbers], rows: Sequence[Numbers], name: str) -> Values:
    return np.array([(layer(w, row, name) @ w[f"{name}_score"])[0] for row in rows])


def silence(
    w: Mapping[str, Numbers], read: Sequence[Plain], rows: Sequence[Numbers], odds: Values, misleads: Values
) -> float:
    """The log odds that nothing answers, one record after another. rows: of `besides`."""
    likely = np.exp(odds) / np.exp(odds).sum()
    seen = [
        layer(w, np.concatenate([row, [odd, 0.3 * np.log(p + 1e-4)], one.answers]), "silent")
        for one, row, odd, p in zip(read, rows, misleads, likely, strict=True)
    ]
    mean = sum(p * one for p, one in zip(likely, seen, strict=True))
    misleading = sum(likely / (1 + np.exp(-misleads)))
    numbers = [-sum(likely * np.log(likely)), max(likely), misleading, rows[0][-1]]
    whole = layer(w, np.concatenate([np.max(seen, axis=0), mean, read[0].whole, numbers]), "silent_whole")
    return float((whole @ w["silent_score"])[0] + w["silent_level"])


def test_a_network_is_computed_as_described() -> None:
    asked, *said = (np.sign(draw.normal(size=(n, DIMENSIONS))).astype(np.float32) for n in (4, 9, 1, 6))
    w = network()
    w["again_score"] *= np.float32(0.005)  # so that no record is certain
    told = np.float32([[0.25, 1.0, 1.0], [-0.5, 0.0, 1.0], [0.5, 0.0, 1.0]])
    read = [plainly(w, asked, one, each) for one, each in zip(said, told, strict=True)]
    first = np.array([(one.joined @ w["score"])[0] for one in read])
    else_told = np.array([0.5, -1.0, 1.0]) - first
    tied = ties(3, (0, 1), (0, 2))
    tied[0, 1] = tied[1, 0] = (0.2, 0.4)
    found = Attention(w).scores(packed(asked), [packed(one) for one in said], told, tied, else_told)
    rows = besides(w, read, told, tied, first + else_told)
    second, misleads = scored(w, rows, "again"), scored(w, rows, "misleads") + w["misleads_level"]
    assert np.abs(second).min() > 0.01
    assert found.answering == pytest.approx(first + second, rel=1e-3)
    assert found.misleading == pytest.approx(1 / (1 + np.exp(-misleads)), rel=1e-3)
    assert 0 <= found.misleading.min() < found.misleading.max() <= 1
    odds = first + second + else_told
    assert np.partition(odds, -2)[-1] - np.partition(odds, -2)[-2] < 3
    silent = silence(w, read, rows, odds, misleads)
    assert found.silent == pytest.approx(1 / (1 + np.exp(-silent)), rel=1e-3)
    assert 0.001 < found.silent < 0.999


def test_at_first_a_record_is_read_as_if_it_were_alone() -> None:
    asked, said = hear(5, 1, 30, 7)
    whole = _read(RANDOM.weights, asked, said, about(3))
    alone = [_read(RANDOM.weights, asked, [one], about(3)[i : i + 1]) for i, one in enumerate(said)]
    for name, axis in (("joined", 0), ("answers", 0), ("content", 0), ("compared", 1)):
        together = getattr(whole, name)
        assert together == pytest.approx(np.concatenate([getattr(one, name) for one in alone], axis), abs=1e-4)
        assert np.ptp(together) > 0.01


def test_what_is_said_later_counts_and_how_likely_it_is() -> None:
    question, records, odds = words(5), [words(n) for n in (6, 9, 4)], np.array([1.0, 0.5, 0.0])
    before = RANDOM.scores(question, records, about(3), ties(3), odds)
    same = RANDOM.scores(question, records, about(3), ties(3), odds + 7)
    for other in (
        RANDOM.scores(question, records, about(3)[::-1], ties(3), odds),
        RANDOM.scores(question, records, about(3), ties(3), odds[::-1]),
    ):
        assert np.abs(other.answering - before.answering).max() > 0.01
        assert np.abs(other.misleading - before.misleading).max() > 0.001
        assert abs(other.silent - before.silent) > 0.0001
    assert same.silent == pytest.approx(before.silent, abs=1e-4)
    assert same.answering == pytest.approx(before.answering, abs=1e-4)
    assert same.misleading == pytest.approx(before.misleading, abs=1e-4)


def test_a_record_hears_of_those_said_later_and_earlier_alone() -> None:
    asked, said = hear(5, 6, 9)
    odds = np.zeros(2)
    at_once = np.zeros((2, 3), dtype=np.float32)
    seen = _read(RANDOM.weights, asked, said, at_once)
    other = seen._replace(joined=seen.joined * np.float32([[1.0], [5.0]]))  # the second record is another one
    alone, still = (_beside(RANDOM.weights, each, at_once, ties(2), odds)[0] for each in (seen, other))
    assert still == pytest.approx(alone, abs=1e-6)
    heard, heard_other = (_beside(RANDOM.weights, each, about(2), ties(2), odds)[0] for each in (seen, other))
    assert np.abs(heard - heard_other).max() > 0.01


def test_a_record_finds_in_those_that_share_a_word_what_it_does_not_tell() -> None:
    asked, said = hear(5, 6, 9, 4)
    odds, at_once = np.zeros(3), np.zeros((3, 3), dtype=np.float32)
    seen = _read(RANDOM.weights, asked, said, at_once)
    once = np.ones((1, 3, 1), dtype=np.float32)
    once[0, 1] = 3.0  # what the second record tells of each word of the question is another thing
    other = seen._replace(compared=seen.compared * once)
    alone, of_one, of_both = (ties(3, *pairs) for pairs in ((), [(0, 2)], [(0, 1), (0, 2)]))
    for tied, differs in ((alone, False), (of_one, False), (of_both, True)):
        found, changed = (_beside(RANDOM.weights, each, at_once, tied, odds)[0] for each in (seen, other))
        assert (np.abs(found - changed).max() > 0.01) == differs
    shares = [_beside(RANDOM.weights, seen, at_once, tied, odds)[0, -1] for tied in (alone, of_one, of_both)]
    assert shares[0] == pytest.approx(0)
    assert 0 < shares[1] < shares[2]


def test_the_rarer_the_shared_words_the_more_they_count() -> None:
    asked, said = hear(5, 6, 9)
    weights = {**RANDOM.weights, "tied_rarest": np.float32(1), "tied_rarity": np.float32(1)}
    seen, none = _read(weights, asked, said, about(2)), np.zeros(2)
    shares = []
    for rarest, rarity in ((0.2, 0.2), (0.5, 0.5), (0.5, 0.9)):
        tied = ties(2, (0, 1))
        tied[tied > 0] = [rarest, rarity, rarest, rarity]
        shares.append(_beside(weights, seen, about(2), tied, none)[0, -1])
    assert shares[0] < shares[1] < shares[2]


@pytest.mark.parametrize("count", [1, MOST // (DIMENSIONS * WIDTH), MOST // (DIMENSIONS * WIDTH) + 5])
def test_a_product_of_some_rows_at_a_time_is_that_of_all(count: int) -> None:
    sizes = ((count, DIMENSIONS), (DIMENSIONS, WIDTH))
    rows, matrix = (np.asarray(draw.normal(size=size), dtype=np.float32) for size in sizes)
    assert product(rows, matrix) == pytest.approx(rows @ matrix, abs=1e-4)


def test_no_product_of_the_shipped_network_is_spread_over_threads() -> None:
    """OpenBLAS does so from 4 * 65536 multiplications; see its interface/gemm.c."""
    network = shipped(MODEL)
    assert network is not None
    width = len(network.weights["alike"])
    assert max(weights.size for weights in network.weights.values()) <= MOST  # `product` takes a row at least
    assert ATTENDED * ATTENDED * width <= MOST  # each record beside each
    assert ATTENDED * width * width <= MOST  # what a word of the question found in all records
    assert ASKED * READ * width <= MOST  # all words of a question in one record
    assert ATTENDED * ASKED * width <= MOST  # the mean of what comes of them


def test_what_else_is_told_of_a_record_counts() -> None:
    question, records = words(5), [words(6), words(9)]
    now, before = (RANDOM.scores(question, records, about(2, past=past), ties(2), nothing(2)) for past in (False, True))
    assert np.abs(now.answering - before.answering).max() > 0.01
    assert np.abs(now.misleading - before.misleading).max() > 0.001


def test_the_first_words_are_read() -> None:
    asked, said = draw.normal(size=(ASKED + 3, DIMENSIONS)), draw.normal(size=(READ + 9, DIMENSIONS))

    def answering(asked: NDArray[np.floating], said: NDArray[np.floating]) -> Values:
        return RANDOM.scores(packed(asked), [packed(said)], about(1), ties(1), nothing(1)).answering

    short = answering(asked[:ASKED], said[:READ])
    assert answering(asked, said) == pytest.approx(short, abs=1e-5)
    assert answering(asked[:3], said) != pytest.approx(short, abs=1e-3)
    assert answering(asked, said[:9]) != pytest.approx(short, abs=1e-3)


def test_only_the_default_model_has_a_network() -> None:
    assert shipped(MODEL) is not None
    assert shipped(minilm.MODEL) is None


def test_what_answers_is_told_from_what_is_near(e5_folder: Path) -> None:
    """The network tells at least nine of twelve apart, and twice as many as the cosine of the vectors does."""
    network, embedder = shipped(MODEL), E5Small(e5_folder)
    assert network is not None
    read = near = 0
    for question, answer, other in ANSWERED:
        [vector], [asked] = embedder.questions.embed_words([question])
        vectors, held = embedder.embed_words([answer, other])
        assert asked is not None
        scores = network.scores(
            asked, [words for words in held if words], np.zeros((2, 3), dtype=np.float32), ties(2), nothing(2)
        )
        read += int(scores.answering[0] > scores.answering[1])
        near += int(np.diff(vectors @ vector)[0] < 0)
    assert read >= 9
    assert read >= 2 * near
