"""Search by words beside a working set: against a plain computation, and as the table grows and loses texts."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from oroi_graph.language.normalize import fold
from oroi_graph.working_set.words.inverted_index import MERGED, InvertedIndex, split
from oroi_graph.working_set.words.search import GRAIN, Spelling, Term, by_spelling, by_words, terms_of

WORDS = ("boat", "boats", "boating", "sea", "seam", "Łódź", "niño", "nino", "日本", "a", "42", "4", "x-ray")
MOST = 30
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=MOST)


def plain(texts: Sequence[str], terms: Sequence[Term], ids: Sequence[str], gone: Sequence[int], most: int) -> list[str]:
    """BM25 as it is written down, text by text."""
    said = [[] if i in gone else split(text) for i, text in enumerate(texts)]
    count = sum(1 for words in said if words)
    mean = max(sum(map(len, said)) / max(count, 1), 1.0)
    scores = [0.0] * len(texts)
    for term in terms:
        for piece in split(term.word):
            having = sum(piece in words for words in said)
            for i, words in enumerate(said):
                often = words.count(piece)
                norm = 1.2 * (0.25 + 0.75 * len(words) / mean)
                score = term.boost * math.log1p((count - having + 0.5) / (having + 0.5)) * often / (often + norm)
                scores[i] += round(score / GRAIN) * GRAIN
        for i, words in enumerate(said):
            scores[i] += bool(term.prefix) and any(word.startswith(term.prefix) for word in words)
    found = sorted((i for i in range(len(texts)) if scores[i] > 0), key=lambda i: (-scores[i], ids[i]))
    return [ids[i] for i in found[:most]]


@given(
    texts=TEXTS,
    more=TEXTS,
    asked=st.lists(st.sampled_from(WORDS), max_size=4),
    lost=st.sets(st.integers(0, 2 * MOST - 1), max_size=2 * MOST),
)
@example(texts=["seam seam a niño seam", "boating"], more=[], asked=["seam", "4", "4", "boating"], lost=set())
def test_bm25_is_what_is_written_down(texts: list[str], more: list[str], asked: list[str], lost: set[int]) -> None:
    terms = [Term(fold(word), 2.0, fold(word)[:3] if len(word) > 3 else "") for word in asked if "-" not in word]
    whole = [*texts, *more]
    ids = [f"{len(whole) - i:04}" for i in range(len(whole))]
    before = InvertedIndex()
    first = before.at(len(texts), whole.__getitem__)
    gone = sorted(place for place in lost if place < len(whole))
    after = before.without(gone)
    then = after.at(len(whole), whole.__getitem__)
    assert by_words(then, terms, ids, 9) == plain(whole, terms, ids, gone, 9)
    # A state before still has its own texts, all of them and no others, whatever was read since.
    for texts_of_it in (first, before.at(len(texts), whole.__getitem__)):
        assert by_words(texts_of_it, terms, ids, 9) == plain(texts, terms, ids, (), 9)


def test_equal_texts_tie_whatever_the_last_digit_of_their_scores_is() -> None:
    """Both score as much by what is written down: three rare words in five, one of one, summed in other steps."""
    texts, ids = ["seam seam a niño seam", "boating"], ["0002", "0001"]
    terms = [Term("seam", 2.0, "sea"), Term("4"), Term("4"), Term("boating", 2.0, "boa")]
    assert by_words(InvertedIndex().at(2, texts.__getitem__), terms, ids, 9) == ["0001", "0002"]


@given(texts=TEXTS, asked=st.permutations([word for word in WORDS if "-" not in word]))
@settings(max_examples=200)
def test_the_order_of_the_words_of_a_question_decides_nothing(texts: list[str], asked: list[str]) -> None:
    ids = [f"{len(texts) - i:04}" for i in range(len(texts))]
    found = [
        by_words(InvertedIndex().at(len(texts), texts.__getitem__), [Term(fold(word)) for word in words], ids, 9)
        for words in (asked, sorted(asked))
    ]
    assert found[0] == found[1]


@given(texts=TEXTS, label=st.lists(st.sampled_from(WORDS), min_size=1, max_size=2), every=st.booleans())
@settings(max_examples=200)
def test_what_shares_begins_with_or_nearly_spells_a_word(texts: list[str], label: list[str], every: bool) -> None:
    words = [(piece, int(len(piece) > 3)) for word in label for piece in split(word)]
    found = by_spelling(
        InvertedIndex().at(len(texts), texts.__getitem__), Spelling(words, every), texts, lambda place: True, 99
    )

    def alike(word: str, edits: int, other: str) -> bool:
        return other.startswith(word) or (edits > 0 and OSA.distance(word, other) <= edits)

    expected = set()
    for place, text in enumerate(texts):
        held = split(text)
        if every:
            wanted = {word for word, _ in words} <= set(held)
        else:
            wanted = any(alike(word, edits, other) for word, edits in words for other in held)
        if wanted:
            expected.add(place)
    assert set(found) == expected


def test_merging_into_arrays_changes_nothing() -> None:
    texts = [f"boat number {i} of {'sea' if i % 3 else 'seam'}" for i in range(3 * MERGED)]
    ids = [f"{i:05}" for i in range(len(texts))]
    grown, terms = InvertedIndex(), [Term("sea", 2.0, "sea"), Term("7")]
    for size in range(1, len(texts) + 1, 97):
        whole = InvertedIndex().at(size, texts.__getitem__)
        assert by_words(grown.at(size, texts.__getitem__), terms, ids, 50) == by_words(whole, terms, ids, 50)


def test_threads_read_while_others_grow() -> None:
    texts = [f"boat {i} sea" for i in range(4 * MERGED)]
    ids = [f"{i:05}" for i in range(len(texts))]
    index, wrong = InvertedIndex(), []

    def search(start: int) -> None:
        for size in range(start, len(texts), 13):
            found = by_words(index.at(size, texts.__getitem__), [Term("boat")], ids, len(texts))
            if found != ids[:size]:
                wrong.append((size, len(found)))

    threads = [threading.Thread(target=search, args=(start,)) for start in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_kinds_that_are_not_wanted_take_no_place() -> None:
    texts = ["Ana Ruiz"] * 60 + ["Ana"]
    found = by_spelling(
        InvertedIndex().at(61, texts.__getitem__), Spelling([("ana", 0)], False), texts, lambda place: place % 2 == 1, 5
    )
    assert found == [1, 3, 5, 7, 9]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("C++ AND (x:y) don't", ["c", "and", "x", "y", "don", "t"]),
        ("Ça va à Málaga?", ["ca", "va", "a", "malaga"]),
        ("東京に行った ok", ["東", "京", "に", "行", "っ", "た", "ok"]),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert split(text) == words


def test_terms_of_a_question() -> None:
    terms = terms_of("Where are the boats of Ana?", "en", 4)
    assert [term.word for term in terms] == ["boats", "ana"]
    assert terms[0].prefix == "boat"
    assert terms[0].boost > terms[1].boost
    assert not re.search(r"\W", "".join(term.word for term in terms_of('"x" AND (y) ~*', "en", 4)))
