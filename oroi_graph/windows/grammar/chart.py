"""A bottom-up chart parser for short stretches of text: all parts that the rules can make, from right to left.

Parts that begin at a word are found by their first element (left-corner parsing; Rosenkrantz and Lewis, 1970), when all
parts that begin further right are known. A part has at most `LONGEST` words, so the time grows with the text's length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oroi_graph.windows.grammar.lexicon import Element, Openings

LONGEST = 16  # words of a part

# (category → (token after the part's last one → value)) of the parts that begin at a token
Parts = dict[str, dict[int, Any]]
# action, named values, first token, token after the last one → (category, value), or None if the action refuses
Act = Callable[[str, dict[str, Any], int, int], Sequence[tuple[str, Any]]]


def parse(
    forms: Sequence[str],
    terminals: Callable[[int], Sequence[tuple[str, int, Any]]],
    rules: Mapping[str, Openings],
    act: Act,
) -> list[Parts]:
    """The parts that begin at each token. The first value found for a category and a stretch is kept."""
    chart: list[Parts] = [{} for _ in range(len(forms) + 1)]
    standing: list[Sequence[str]] = [()] * (len(forms) + 1)  # the word at each token, and the categories of its parts
    for i in range(len(forms) - 1, -1, -1):
        agenda = [*reversed(terminals(i))]
        if forms[i] in rules:  # last: what a phrase means is found before what its words make
            agenda.insert(0, (forms[i], i + 1, None))
        while agenda:
            category, end, value = agenda.pop()
            made = chart[i].setdefault(category, {})
            if end in made or end - i > LONGEST:
                continue
            made[end] = value
            openings = rules.get(category)
            for rule in openings.before(standing[end]) if openings is not None else ():
                name = rule.elements[0].name
                named = {name: value} if name else {}
                for last, values in _rest(chart, forms, rule.elements, 1, end, i + LONGEST, named):
                    agenda.extend((made_of, last, v) for made_of, v in act(rule.action, values, i, last))
        standing[i] = (forms[i], *chart[i])
    return chart


def _rest(
    chart: list[Parts],
    forms: Sequence[str],
    elements: tuple[Element, ...],
    k: int,
    at: int,
    most: int,
    named: dict[str, Any],
) -> list[tuple[int, dict[str, Any]]]:
    """The ways to match the elements from `k` on at token `at`: (token after the last one, named values)."""
    if k == len(elements):
        return [(at, named)]
    if at >= len(forms) or at > most:
        return []
    element = elements[k]
    if forms[at] not in element.words and element.categories.isdisjoint(chart[at]):
        return []
    found: list[tuple[int, dict[str, Any]]] = []
    for fit in element.fits:
        if fit[0].isupper():
            for end, value in chart[at].get(fit, {}).items():
                more = {**named, element.name: value} if element.name else named
                found += _rest(chart, forms, elements, k + 1, end, most, more)
        elif forms[at] == fit:
            more = {**named, element.name: forms[at]} if element.name else named
            found += _rest(chart, forms, elements, k + 1, at + 1, most, more)
    return found
