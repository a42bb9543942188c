"""Semantic drift: level and power of the tests, what moved, and the formats of four authors."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locations import PROJECT
from tables import table

from oroi_graph.contract.drift import DriftEntry, DriftReport, drift, drifting_keys, holm
from oroi_graph.errors import InputError
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.protocols import Vectors

START = datetime(2026, 2, 13, tzinfo=UTC)
SEED = PROJECT.parent / "shared" / "seeds" / "002_15bf2dbb73a703fe.repaired.txt"


def entries(vectors: Vectors, authors: Sequence[str]) -> list[DriftEntry]:
    return [
        DriftEntry(f"e{i:03}", author, START + timedelta(hours=i), vector)
        for i, (vector, author) in enumerate(zip(vectors, authors, strict=True))
    ]


def noise(random: np.random.Generator, n: int, d: int = 32) -> Vectors:
    vectors = random.normal(size=(n, d)) + np.eye(d)[0] * 3
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def shifted(vectors: Vectors, rows: Sequence[int], by: float) -> Vectors:
    moved = vectors.copy()
    moved[list(rows), 1] += by
    return (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def values(minilm: CachedEmbedder) -> Vectors:
    """Vectors of real values of contracts."""
    lines = (PROJECT / "benchmarks" / "labels" / "contract_pairs.jsonl").read_text("utf-8").splitlines()
    texts = [row["old"] for row in map(json.loads, lines) if row["language"] == "en"]
    return minilm.embed(texts)


@pytest.mark.endurance
@table("n, authors", [(8, 2), (24, 3), (60, 4)])
def test_false_alarms_are_as_rare_as_the_level(n: int, authors: int, values: Vectors) -> None:
    """Real values at random authors and times: 120 runs, in which 13 alarms and more have a chance below 1 %."""
    random = np.random.default_rng(n)
    alarms = 0
    for run in range(120):
        drawn = values[random.choice(len(values), n, replace=n > len(values))]
        names = [f"author {i}" for i in random.permutation(np.arange(n) % authors)]
        alarms += drift(entries(drawn, names), permutations=99, seed=run).drifted
    assert alarms < 13


def test_an_author_who_means_something_else_is_found() -> None:
    random = np.random.default_rng(1)
    names = [f"author {i % 3}" for i in range(36)]
    moved = [i for i in range(36) if i % 3 == 1]
    report = drift(entries(shifted(noise(random, 36), moved, 0.9), names))
    assert report.drifted
    assert report.reason == "authors differ"
    assert [pair.authors for pair in report.pairs if pair.drifted] == [
        ("author 0", "author 1"),
        ("author 1", "author 2"),
    ]
    assert {f"e{i:03}" for i in moved} <= set(report.moved)


def test_a_meaning_that_moves_is_found_with_its_time() -> None:
    random = np.random.default_rng(2)
    report = drift(entries(shifted(noise(random, 40), range(25, 40), 0.9), ["a", "b"] * 20))
    assert report.drifted
    assert report.reason == "the meaning moved over time"
    assert report.since == "e025"
    assert set(report.moved) == {f"e{i:03}" for i in range(25, 40)}


def test_the_order_of_the_entries_does_not_matter() -> None:
    given_in_order = entries(noise(np.random.default_rng(3), 20), ["a", "b"] * 10)
    shuffled = [given_in_order[i] for i in np.random.default_rng(4).permutation(20)]
    assert drift(given_in_order, seed=5) == drift(shuffled, seed=5)


def test_a_report_is_json() -> None:
    report = drift(entries(noise(np.random.default_rng(6), 12), ["a", "b"] * 6), permutations=99)
    told = json.loads(json.dumps(report.to_json()))
    assert told["entries"] == 12
    assert told["pairs"][0]["authors"] == ["a", "b"]
    assert 0 <= told["statistic"] <= 1


@table("n", [0, 1, 5])
def test_few_entries_tell_nothing(n: int) -> None:
    report = drift(entries(noise(np.random.default_rng(7), n), ["a", "b", "c", "d", "e"][:n]))
    assert (report.drifted, report.p, report.time_p, report.key_p) == (False, None, None, 1.0)
    assert "too few" in report.reason


def test_equal_entries_do_not_drift() -> None:
    same = np.tile(noise(np.random.default_rng(8), 1), (12, 1))
    assert not drift(entries(same, ["a", "b"] * 6)).drifted


def test_one_author_is_compared_with_its_own_past_only() -> None:
    report = drift(entries(noise(np.random.default_rng(9), 12), ["a"] * 12))
    assert (report.p, report.pairs) == (None, ())
    assert report.time_p is not None


def test_bad_input_is_refused() -> None:
    good = entries(noise(np.random.default_rng(10), 8), ["a", "b"] * 4)
    for broken, options in (
        (good, {"level": 0.0}),
        (good, {"permutations": 5}),
        (good, {"seed": -1}),
        ([*good, good[0]], {}),
        ([*good, DriftEntry("x", "a", START, np.ones(3, dtype=np.float32))], {}),
    ):
        with pytest.raises(InputError):
            drift(broken, **options)  # type: ignore[arg-type]


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_only_raises_and_keeps_the_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(p <= q <= 1 for p, q in zip(values, adjusted, strict=True))
    order = sorted(range(len(values)), key=lambda i: values[i])
    assert [adjusted[i] for i in order] == sorted(adjusted)


def test_holm_is_the_published_one() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_many_keys_are_corrected() -> None:
    calm = drift(entries(noise(np.random.default_rng(11), 20), ["a", "b"] * 10))
    rows = [i for i in range(20) if i % 2]
    loud = drift(entries(shifted(noise(np.random.default_rng(12), 20), rows, 2.0), ["a", "b"] * 10))
    reports: dict[str, DriftReport] = {f"k{i}": calm for i in range(20)} | {"loud": loud}
    assert drifting_keys(reports) == {"loud"}


def test_entries_of_one_moment_are_taken_in_the_order_in_which_they_were_written() -> None:
    rows = shifted(noise(np.random.default_rng(13), 20), range(10, 20), 2.0)
    random = np.random.default_rng(14)
    names = [f"{i:04x}" for i in random.permutation(20)]
    at_once = [DriftEntry(names[i], "ab"[i % 2], START, row, seq=i) for i, row in enumerate(rows)]
    apart = [DriftEntry(names[i], "ab"[i % 2], START + timedelta(hours=i), row) for i, row in enumerate(rows)]
    assert drift([at_once[i] for i in random.permutation(20)]) == drift(apart)
    assert drift(apart).since == names[10]


def test_keys_without_a_test_are_not_corrected_for() -> None:
    few = drift(entries(noise(np.random.default_rng(15), 3), ["a", "b", "a"]))
    rows = [i for i in range(20) if i % 2]
    loud = drift(entries(shifted(noise(np.random.default_rng(12), 20), rows, 2.0), ["a", "b"] * 10))
    assert not few.tested
    assert drifting_keys({"loud": loud} | {f"k{i}": few for i in range(100)}) == {"loud"}


# --- the evidence of the source: one analysis in four formats by four authors -----------------------------


def written(i: int, name: str, text: str, style: int) -> str:
    """A field as YAML, structured Markdown, plain text, or under a numbered heading."""
    return (
        f'{name.lower().replace(" ", "_")}:\n  - "{text}"',
        f"### {name}\n- **{name}:** {text}",
        f"{text}.",
        f"{i}. {name.upper()}\n{i}.1 {text}",
    )[style]


@pytest.mark.shared
def test_four_formats_of_one_thing_by_four_authors_drift(minilm: CachedEmbedder) -> None:
    """The source tells of one README with analyses in four formats by four authors without a common schema: YAML,
    structured Markdown, plain text, numbered headings. Its first phase holds what they wrote. Each in a format of its
    own, the authors drift apart, and so they do where all write the very same analysis; but not where each author
    uses all four formats."""
    if not SEED.is_file():
        pytest.skip("the sources (shared/seeds) are not beside the project")
    phase = SEED.read_text("utf-8").split("## Fase 1")[1].split("## Consenso")[0]
    parts = re.findall(r"### (.+?)\n(.+?)(?=\n###|\Z)", phase, re.DOTALL)[:4]
    analyses = [re.findall(r"- \*\*(.+?):\*\* (.+)", body) for _, body in parts]
    assert [len(fields) for fields in analyses] == [6] * 4

    def report(said: Sequence[Sequence[tuple[str, str]]], mixed: bool) -> DriftReport:
        rows = [(a, i, *field) for i in range(6) for a, fields in enumerate(said) for field in [fields[i]]]
        texts = [written(i + 1, name, text, (a + i) % 4 if mixed else a) for a, i, name, text in rows]
        made = entries(minilm.embed(texts), [parts[a][0] for a, *_ in rows])
        return drift([replace(entry, like=row[2]) for entry, row in zip(made, rows, strict=True)])

    theirs = report(analyses, mixed=False)
    assert theirs.drifted
    assert theirs.reason == "authors differ"
    assert theirs.p is not None
    assert theirs.p <= 0.01
    assert theirs.moved
    for one in analyses:
        assert report([one] * 4, mixed=False).drifted
        assert not report([one] * 4, mixed=True).drifted
