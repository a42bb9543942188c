"""Small files of each format that `oroi evaluate` reads, authored for the tests, and what evaluations leave behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from oroi_graph.evaluation.baselines.memory import PREFIX
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store

LOCOMO: dict[str, Any] = {
    "sample_id": "pair-1",
    "conversation": {
        "speaker_a": "Nerea",
        "speaker_b": "Tom",
        "session_1_date_time": "1:56 pm on 8 May, 2025",
        "session_1": [
            {"speaker": "Nerea", "dia_id": "D1:1", "text": "I adopted a parrot called Kiko."},
            {"speaker": "Tom", "dia_id": "D1:2", "text": "Nice! I am repairing my old sailing boat."},
            {"speaker": "Nerea", "dia_id": "D1:3", "text": "Kiko speaks Basque already."},
        ],
        "session_2_date_time": "10:00 am on 12 June, 2025",
        "session_2": [
            {"speaker": "Tom", "dia_id": "D2:1", "text": "The boat floats again, I sailed to Getaria."},
            {"speaker": "Nerea", "dia_id": "D2:2", "text": "My sister moved to Lisbon last week."},
            {"speaker": "Tom", "dia_id": "D2:3"},
        ],
    },
    "observation": {
        "session_1_observation": {
            "Nerea": [["Nerea adopted a parrot called Kiko.", "D1:1"], ["Nerea taught Kiko Basque.", ["D1:3", "D9:9"]]],
            "Tom": [["Tom is repairing his old sailing boat.", "D1:2"]],
        }
    },
    "qa": [
        {"question": "What language does Kiko speak?", "answer": "Basque", "evidence": ["D1:3"], "category": 4},
        {"question": "Where did Tom sail?", "answer": "Getaria", "evidence": ["D2:1"], "category": 2},
        {"question": "What do Nerea and Tom own?", "answer": "…", "evidence": ["D1:1; D:1:02"], "category": 1},
        {"question": "Where does the sister live?", "answer": "Lisbon", "evidence": ["D2:2", "D7:7"], "category": 5},
        {"question": "Who paints?", "answer": "nobody", "evidence": ["D"], "category": 3},
        {"question": "Who sings?", "answer": "nobody", "evidence": [], "category": 3},
    ],
}  # fmt: skip

PASSAGES: list[dict[str, Any]] = [
    {
        "title": "Orbea Museum",
        "text": "The Orbea Museum stands in Eibar. It opened in 1998.",
        "entities": ["Orbea Museum", "Eibar", "1998"],
        "triples": [
            ["Orbea Museum", "stands in", "Eibar"],
            ["Orbea Museum", "opened in", "1998"],
            ["broken", "triple"],
        ],
    },
    {
        "title": "Eibar",
        "text": "The mayor of Eibar is Jon Iraola.",
        "entities": ["Eibar", "Jon Iraola"],
        "triples": [["Jon Iraola", "is mayor of", "Eibar"]],
    },
    {
        "title": "Violin makers",
        "text": "Violins are made of spruce and maple.",
        "entities": ["Violins"],
        "triples": [["Violins", "are made of", "spruce"], ["Violins", "are made of", "maple"]],
    },
    {
        "title": "Violin makers",
        "text": "Violins are made of spruce and maple.",
        "entities": [],
        "triples": [],
    },
]

QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "2hop__1_2",
        "question": "Who is the mayor of the town where the Orbea Museum stands?",
        "answer": "Jon Iraola",
        "supporting": [f"{passage['title']}\n{passage['text']}" for passage in PASSAGES[:2]],
    },
    {"id": "3hop1__7", "question": "Who tunes violins?", "answer": "?", "supporting": ["Nowhere\nto be found."]},
]


def locomo_file(folder: Path) -> Path:
    """One conversation of two people."""
    return _written(folder / "pair.json", json.dumps([LOCOMO]))


def musique_files(folder: Path) -> tuple[Path, Path]:
    """A corpus and its questions."""
    return jsonl(folder / "corpus.jsonl", PASSAGES), jsonl(folder / "questions.jsonl", QUESTIONS)


def jsonl(path: Path, objects: list[Any]) -> Path:
    """A file of JSON lines."""
    return _written(path, "".join(json.dumps(data) + "\n" for data in objects))


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def evaluated_memories(store: Store) -> set[str]:
    """The names of the memories in the database that evaluations made."""
    return {memory.name for memory in catalog.list_memories(store) if memory.name.startswith(f"{PREFIX}-")}
