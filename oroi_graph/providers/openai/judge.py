"""Verdicts on near-duplicates from any service that speaks OpenAI's HTTP interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from oroi_graph.model import exact_object
from oroi_graph.providers.openai.service import Answer, Client, Task, UnusableError
from oroi_graph.providers.protocols import ConceptProfile, Verdict

PAIRS = 20  # of one request
MOST = 12  # aliases, and facts, of one concept that are shown
LONGEST = 300  # characters of one label, alias or fact that are shown

_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

_COMPARING = Task(
    "verdicts",
    exact_object(
        verdicts={
            "type": "array",
            "items": exact_object(index={"type": "integer"}, verdict={"type": "string", "enum": list(_VERDICTS)}),
        }
    ),
)


class OpenAIJudge(Client):
    """A judge behind `/chat/completions` with structured output; safe to share among threads.

    An answer without exactly one verdict for each pair is sent back once with what is wrong with it.
    """

    def judge(self, pairs: Sequence[tuple[ConceptProfile, ConceptProfile]]) -> list[Verdict]:
        """(n,) pairs → (n,) verdicts, asked for in requests of at most PAIRS pairs.

        Raises ProviderError after two unusable answers to one request, and without any.
        """
        batches = (pairs[start : start + PAIRS] for start in range(0, len(pairs), PAIRS))
        return [verdict for batch in batches for verdict in self._ask(batch)]

    def _ask(self, pairs: Sequence[tuple[ConceptProfile, ConceptProfile]]) -> list[Verdict]:
        document = {"pairs": [{"index": i, "a": _shown(a), "b": _shown(b)} for i, (a, b) in enumerate(pairs)]}
        return self.service.structured(self.model, _COMPARING, document, lambda answer: _verdicts(answer, len(pairs)))


def _shown(profile: ConceptProfile) -> dict[str, object]:
    return {
        "label": profile.label[:LONGEST],
        "kind": profile.kind,
        "other_names": [alias[:LONGEST] for alias in profile.aliases[:MOST]],
        "facts": [fact[:LONGEST] for fact in profile.facts[:MOST]],
    }


def _verdicts(answer: Answer, n: int) -> list[Verdict]:
    """The verdicts in the order of the pairs. Raises UnusableError unless each has exactly one."""
    data = answer.json()
    given = data.get("verdicts") if isinstance(data, Mapping) else None
    if not isinstance(given, list):
        raise UnusableError('expected an object with the list "verdicts"')
    found: dict[int, Verdict] = {}
    for item in given:
        index, verdict = (item.get("index"), item.get("verdict")) if isinstance(item, Mapping) else (None, None)
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < n or index in found:
            raise UnusableError(f"expected each index from 0 to {n - 1} once, got {str(index)[:40]!r}")
        if verdict not in _VERDICTS:
            raise UnusableError(f"a verdict is one of {', '.join(_VERDICTS)}, got {str(verdict)[:40]!r}")
        found[index] = verdict
    if len(found) != n:
        missing = next(i for i in range(n) if i not in found)
        raise UnusableError(f"expected {n} verdicts, got {len(found)}: none for index {missing}")
    return [found[i] for i in range(n)]
