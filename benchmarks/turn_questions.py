"""Questions about single turns of the corpora as scenarios, to fit on.

    python benchmarks/turn_questions.py --out FILE          # then FILE:offline for relevance.py and attention.py

`labels/turn_questions.jsonl` has more questions than phrases could be chosen for: which turns of a conversation answer,
and which would mislead. A scenario asks for the whole text of a turn, so that what helps is the record of that turn.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.dataset import read_objects

HERE = Path(__file__).parent
LABELS, CORPORA = HERE / "labels" / "turn_questions.jsonl", HERE / "corpora"

Row = Mapping[str, Any]


def scenarios(labels: Path = LABELS, corpora: Path = CORPORA) -> Iterator[dict[str, Any]]:
    """The conversations that are asked about, with these questions as their probes.

    InputError if one is missing, or for a line that is no JSON object. A label: conversation (FILE/ID), question,
    answers and misleads (numbers of turns, from 1; none answers what was never said), all (whether each of several is
    needed, rather than any), phenomenon (by default `recurrence`, or `silence` where nothing answers).
    """
    asked: defaultdict[str, list[Row]] = defaultdict(list)
    for _, label in read_objects(labels):
        asked[label["conversation"]].append(label)
    files = sorted({conversation.split("/")[0] for conversation in asked})
    said = {f"{file}/{row['id']}": row for file in files for _, row in read_objects(corpora / f"{file}.jsonl")}
    for conversation, questions in asked.items():
        row = said.get(conversation)
        if row is None:
            raise InputError(f"no conversation {conversation!r} in {corpora}: mend its questions in {labels}")
        texts = [turn["text"] for turn in row["turns"]]
        turns = [{name: value for name, value in turn.items() if name != "extraction"} for turn in row["turns"]]
        yield {**row, "turns": turns, "probes": [_probe(question, texts) for question in questions]}


def _probe(label: Row, texts: Sequence[str]) -> dict[str, Any]:
    answers = [texts[number - 1] for number in label["answers"]]
    return {
        "question": label["question"],
        "phenomenon": label.get("phenomenon", "recurrence" if answers else "silence"),
        "required": [[text] for text in answers] if label.get("all") else [answers] if answers else [],
        "forbidden": [[text] for number in label["misleads"] if (text := texts[number - 1]) not in answers],
    }


@click.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The file of scenarios that is written.")
def main(out: Path) -> None:
    """Write the scenarios."""
    rows = list(scenarios())
    out.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    click.echo(f"{len(rows)} conversations, {sum(len(row['probes']) for row in rows)} questions")


if __name__ == "__main__":
    main()
