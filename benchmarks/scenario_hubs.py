"""Hubs: a scenario in which what lies on the way to the answer is associated with many others, too.

Nothing of that is asked for: a brief that holds any of it has let a hub connect everything with everything.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from scenario_script import WRITTEN
from scenario_words import WORDS

BESIDES = 20  # neighbours of the hub along one relation, told one by one
RELATIONS: Mapping[str, str] = {"en": "has to do with", "es": "tiene que ver con"}


def with_hub(scenario: Mapping[str, Any], seed: str, *, final: bool) -> dict[str, Any]:
    """The scenario with BESIDES more turns at the end of the session that last tells of the concept before the answer.

    Raises LookupError if no concept lies between what the question names and the answer, or names are too few.
    """
    probe = scenario["probes"][0]
    hub = _before_the_answer(scenario["turns"], probe)
    name, rng = f"hub-{scenario['id']}", random.Random(f"hub-{seed}/{scenario['id']}")
    others = rng.sample(_free_names(scenario, final), BESIDES)
    session = max(turn["session"] for turn in scenario["turns"] if hub["label"] in _labels(turn))
    last = max(i for i, turn in enumerate(scenario["turns"]) if turn["session"] == session)
    speaker = next(turn["speaker"] for turn in scenario["turns"] if hub["label"] in _labels(turn))
    began = datetime.fromisoformat(scenario["turns"][last]["at"])
    turns = [
        {
            "role": "user",
            "speaker": speaker,
            "text": f"{hub['label'][:1].upper()}{hub['label'][1:]} {RELATIONS[scenario['language']]} {other}.",
            "session": session,
            "at": (began + timedelta(minutes=i)).strftime(WRITTEN),
            "extraction": {
                "concepts": [hub, {"label": other, "kind": "name"}],
                "relations": [
                    {"source": hub["label"], "relation": RELATIONS[scenario["language"]], "target": other},
                ],
            },
        }
        for i, other in enumerate(others, 1)
    ]
    told = [*scenario["turns"][: last + 1], *turns, *scenario["turns"][last + 1 :]]
    return {**scenario, "id": name, "turns": told, "probes": [{**probe, "forbidden": [others]}]}


def _before_the_answer(turns: Sequence[Mapping[str, Any]], probe: Mapping[str, Any]) -> dict[str, Any]:
    """The concept that most facts tie to the answer, and that the question does not name."""
    answers = [phrase.casefold() for phrases in probe["required"] for phrase in phrases]
    concepts = {c["label"]: c for turn in turns for c in turn.get("extraction", {}).get("concepts", [])}
    tied: Counter[str] = Counter()
    for turn in turns:
        for relation in turn.get("extraction", {}).get("relations", []):
            for end, other in ((relation["source"], relation["target"]), (relation["target"], relation["source"])):
                between = end in concepts and end.casefold() not in probe["question"].casefold()
                tied[end] += between and any(answer in other.casefold() for answer in answers)
    for label, times in tied.most_common(1):
        if times:
            return dict(concepts[label])
    raise LookupError(f"nothing lies before the answer to {probe['question']!r}")


def _free_names(scenario: Mapping[str, Any], final: bool) -> list[str]:
    """Names of people that nobody says in the scenario."""
    said = json.dumps(scenario, ensure_ascii=False).casefold()
    words = WORDS[scenario["language"]]
    names = [word for list_ in ("woman", "man") for word in words[list_].of(final) if word.casefold() not in said]
    if len(names) < BESIDES:
        raise LookupError(f"{len(names)} names are left for {scenario['id']}, {BESIDES} are needed")
    return names


def _labels(turn: Mapping[str, Any]) -> set[str]:
    return {concept["label"] for concept in turn.get("extraction", {}).get("concepts", [])}
