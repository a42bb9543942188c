"""MuSiQue with recorded OpenIE: passages as records that state their triples, and multi-hop questions over them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.dataset import Case, Dataset, Question, read_objects, text_of
from oroi_graph.language.values import canonical_value
from oroi_graph.model import ConceptKind, ExtractedConcept, ExtractedRelation, Extraction, TurnInput
from oroi_graph.transfer.conversation_file import Scripted

READER = "Passage-Reader"  # who says the passages: a name that no passage says
_HOPS = re.compile(r"(\d+hop)")


def read_passages(corpus: Path, questions: Path, limit: int | None = None) -> Dataset:
    """A corpus of passages with their recorded triples, and the questions; `limit`: only the first questions.

    Supporting passages that the corpus lacks are dropped and counted; so are questions left with none.
    Raises InputError that names the first bad line.
    """
    turns: dict[str, Scripted] = {}
    read = 0
    for read, (where, data) in enumerate(read_objects(corpus), start=1):
        text = f"{text_of(data, 'title', where)}\n{text_of(data, 'text', where)}"
        if text not in turns:
            turn = TurnInput(text, f"passage-{read}", READER)
            turns[text] = Scripted(turn, _extraction(data, where), where)
    ids = {text: scripted.turn.id for text, scripted in turns.items()}
    asked: list[Question] = []
    seen = lost = unanswerable = 0
    for seen, (where, data) in enumerate(list(read_objects(questions))[:limit], start=1):
        supporting = _texts(data, "supporting", where)
        evidence = tuple(dict.fromkeys(ids[text] for text in supporting if text in ids))
        lost += sum(text not in ids for text in supporting)
        if evidence:
            id = str(data.get("id", f"question-{seen}"))
            asked.append(Question(id, text_of(data, "question", where), _groups(id), evidence=evidence))
        else:
            unanswerable += 1
    if not asked:
        raise InputError(f"no question of {questions.name} is supported by a passage of {corpus.name}")
    return Dataset(
        name="musique",
        cases=(Case("corpus", tuple(turns.values()), tuple(asked), "en"),),
        headline="recall@5",
        depths=(2, 5, 10),
        all_depths=(5,),
        groups=tuple(sorted({group for question in asked for group in question.groups})),
        counts={
            "passages": len(turns),
            "repeated_passages": read - len(turns),
            "questions": seen,
            "questions_without_evidence": unanswerable,
            "evidence_without_passage": lost,
        },
    )


def _groups(id: str) -> tuple[str, ...]:
    """How many hops a question takes, where its id says so ("2hop__…")."""
    hops = _HOPS.match(id)
    return (hops[1],) if hops else ()


def _extraction(data: Mapping[str, Any], where: str) -> Extraction:
    """A passage's recorded triples; those that are not three texts are left out."""
    triples = data.get("triples", [])
    if not isinstance(triples, list):
        raise InputError(f"{where}: 'triples' must be a list")
    whole = [t for t in triples if isinstance(t, list) and len(t) == 3 and all(_is_label(part) for part in t)]
    labels = [label for label in _texts(data, "entities", where) if _is_label(label)]
    ends = [end for source, _, target in whole for end in (source, target)]
    return Extraction(
        concepts=tuple(ExtractedConcept(label, kind_of(label)) for label in dict.fromkeys([*labels, *ends])),
        relations=tuple(dict.fromkeys(ExtractedRelation(*triple) for triple in whole)),
    )


def kind_of(label: str) -> ConceptKind:
    """What a recorded label is: a value where the product reads one, else a name where it begins with a capital."""
    if canonical_value(label, "en", None) is not None:
        return "value"
    return "name" if label.lstrip()[:1].isupper() else "concept"


def _is_label(part: Any) -> bool:
    return isinstance(part, str) and any(char.isalnum() for char in part)


def _texts(data: Mapping[str, Any], key: str, where: str) -> list[str]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise InputError(f"{where}: {key!r} must be a list of text")
    return value
