"""LoCoMo: long conversations of two people, and questions whose evidence is given as turn ids.

The measure is recall of evidence, so no judge is needed. Questions without any usable evidence are left out and
counted. The global metrics are over categories 1 to 4 (the group "1-4"): category 5 asks for what was not said.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.dataset import Case, Dataset, Question
from oroi_graph.files import read_text
from oroi_graph.model import Extraction, Utterance
from oroi_graph.providers.protocols import Extractor
from oroi_graph.transfer.conversation_file import Scripted, read_locomo

CATEGORIES = ("1", "2", "3", "4", "5")
_UNTOLD = "5"  # the category of questions whose answer was never said
_UNANSWERABLE = (
    "The conversation does not tell: a correct answer says so, or that the question assumes something wrong."
)
_ID = re.compile(r"D:?(\d+):(\d+)")


def read_conversations(path: Path, observer: Extractor | None = None, limit: int | None = None) -> Dataset:
    """The conversations of a file; `limit`: only the first so many.

    observer: reads the data set's own observations, so that a turn states what was observed of it (`--facts`).
    Raises InputError for a file that is not LoCoMo's JSON.
    """
    samples = _samples(path)[:limit]
    counts: Counter[str] = Counter()
    cases = tuple(_case(sample, i, observer, counts) for i, sample in enumerate(samples, start=1))
    if not any(case.questions for case in cases):
        raise InputError(f"{path.name} holds no question with evidence: it needs LoCoMo's 'qa' lists")
    return Dataset(
        name="locomo",
        cases=cases,
        headline="recall@10",
        depths=(5, 10, 20),
        all_depths=(5, 10, 20),
        overall="1-4",
        groups=(*CATEGORIES, "1-4", "1-5"),
        counts={name: counts[name] for name in _COUNTED},
        setting={"facts": observer is not None},
    )


_COUNTED = (
    "conversations turns turns_left_out questions questions_without_evidence evidence evidence_without_turn "
    "observations".split()
)


def _samples(path: Path) -> list[Mapping[str, Any]]:
    try:
        data = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is not valid JSON ({error})") from error
    samples = data if isinstance(data, list) else [data]
    for i, sample in enumerate(samples, start=1):
        if not isinstance(sample, Mapping) or not isinstance(sample.get("conversation"), Mapping):
            raise InputError(f"{path.name} (conversation {i}): no 'conversation': give LoCoMo's JSON")
        if not isinstance(sample.get("qa", []), list):
            raise InputError(f"{path.name} (conversation {i}): 'qa' must be a list")
    if not samples:
        raise InputError(f"{path.name} holds no conversation")
    return samples


def _case(sample: Mapping[str, Any], number: int, observer: Extractor | None, counts: Counter[str]) -> Case:
    name = str(sample.get("sample_id", f"conversation-{number}"))
    read = read_locomo({**sample, "sample_id": name})
    turns = {scripted.turn.id: scripted for scripted in read.turns}
    if observer is not None:
        turns = with_observations(turns, name, sample.get("observation"), observer, counts)
    questions = [_question(qa, f"{name}/{i}", name, turns, counts) for i, qa in enumerate(sample.get("qa", []), 1)]
    counts.update(conversations=1, turns=len(turns), turns_left_out=len(read.problems), questions=len(questions))
    return Case(name, tuple(turns.values()), tuple(question for question in questions if question is not None), "en")


def _question(qa: Any, id: str, name: str, turns: Mapping[str, Scripted], counts: Counter[str]) -> Question | None:
    if not isinstance(qa, Mapping) or not isinstance(qa.get("question"), str):
        raise InputError(f"question {id}: it has no text")
    category = str(qa.get("category"))
    if category not in CATEGORIES:
        raise InputError(f"question {id}: category must be 1 to 5, got {category}")
    named = evidence_ids(qa.get("evidence", []))
    found = tuple(dict.fromkeys(id for id in (f"{name}:{place}" for place in named) if id in turns))
    counts.update(evidence=len(found), evidence_without_turn=sum(f"{name}:{place}" not in turns for place in named))
    if not found:
        counts["questions_without_evidence"] += 1
        return None
    groups = (category, *(["1-4"] if category != "5" else []), "1-5")
    said = "" if qa.get("answer") is None else str(qa["answer"])
    answer = _UNANSWERABLE if category == _UNTOLD else " ".join(said.split())
    return Question(id, qa["question"], groups, evidence=found, answer=answer)


def evidence_ids(evidence: Any) -> list[str]:
    """The turn ids that an evidence list names: "D8:6; D9:17" is two, "D:11:26" and "D30:05" are written badly.

    What is no id at all ("D") is given back as it is, so that it can be counted.
    """
    ids: list[str] = []
    for text in evidence if isinstance(evidence, Sequence) and not isinstance(evidence, str) else [evidence]:
        found = [f"D{int(session)}:{int(turn)}" for session, turn in _ID.findall(str(text))]
        ids += found or [str(text)]
    return list(dict.fromkeys(ids))


def with_observations(
    turns: Mapping[str, Scripted], name: str, observations: Any, observer: Extractor, counts: Counter[str]
) -> dict[str, Scripted]:
    """The turns, each stating what the data set observes of it: the observer reads the observation's sentence.

    Turns of which nothing was observed are left to the graph's extractor.
    """
    told: dict[str, list[Extraction]] = {}
    for sentence, place in _observations(observations):
        scripted = turns.get(f"{name}:{place}")
        if scripted is not None:
            counts["observations"] += 1
            turn = scripted.turn
            read = observer.extract(Utterance(sentence, turn.speaker, turn.role, turn.at), ())
            told.setdefault(turn.id, []).append(read)
    return {
        id: replace(scripted, extraction=_joined(told[id])) if id in told else scripted
        for id, scripted in turns.items()
    }


def _observations(observations: Any) -> list[tuple[str, str]]:
    """(sentence, turn) pairs of all sessions and speakers; a sentence of several turns is told by each of them."""
    found: list[tuple[str, str]] = []
    for session in observations.values() if isinstance(observations, Mapping) else ():
        for told in session.values() if isinstance(session, Mapping) else ():
            for sentence, evidence in told:
                found += [(str(sentence), place) for place in evidence_ids(evidence)]
    return found


def _joined(extractions: Sequence[Extraction]) -> Extraction:
    """Several extractions as one that states what all of them state, and asks for nothing."""
    return Extraction(
        concepts=tuple(dict.fromkeys(concept for e in extractions for concept in e.concepts)),
        relations=tuple(dict.fromkeys(relation for e in extractions for relation in e.relations)),
    )
