"""What is kept by text: once for a short text, never for a long one."""

from __future__ import annotations

from oroi_graph.recall.ranking.kept_texts import LONGEST, kept


def test_a_short_text_is_worked_out_once_and_a_long_one_is_never_kept() -> None:
    asked: list[tuple[int, str]] = []

    @kept(2)
    def length(text: str, language: str) -> int:
        """How long."""
        asked.append((len(text), language))
        return len(text)

    for text in ("short", "short", "x" * LONGEST, "x" * LONGEST, "x" * (LONGEST + 1), "x" * (LONGEST + 1)):
        assert length(text, "en") == len(text)
    assert asked == [(5, "en"), (LONGEST, "en"), (LONGEST + 1, "en"), (LONGEST + 1, "en")]
    del asked[:]
    length("short", "es")
    length("short", "en")
    assert asked == [(5, "es"), (5, "en")], "the oldest one was dropped"
    assert length.__doc__ == "How long."


def test_several_texts_at_once_are_as_one_by_one() -> None:
    asked: list[str] = []

    @kept(10)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    texts = ["one", "three", "", "y" * (LONGEST + 1)]
    assert length.of([]) == []
    assert length.of(texts) == [3, 5, 0, LONGEST + 1] == [length(text) for text in texts]
    assert asked == [*texts, texts[-1]], "only the long one is worked out again"
    assert length.of(map(str, range(30))) == [len(str(number)) for number in range(30)]
    del asked[:]
    length.of(["29", "0"])
    assert asked == ["0"], "the oldest ones were dropped"
