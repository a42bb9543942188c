"""The documents: what the glossary must define, links, and pages that scripts write."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from locations import PROJECT, script

import oroi_graph
from oroi_graph.model import Exclusion, Rule
from oroi_graph.recall_options import Ranking
from oroi_graph.transfer.archive_schema import DERIVED

DOCS = PROJECT / "docs"
GLOSSARY = (DOCS / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\| ([^|`]+?)(?: \*\(paper\)\*)? \|", GLOSSARY.split("## Public classes")[0], re.MULTILINE)[1:]
FIELD = (
    "feature, stage, fan-out, hub, hub filter, entity linking, entity resolution, reranking, summary, lease, snapshot,"
    " working set, brief, concept, association, episode, activation, strength, exposure, resonance, surprise, cue,"
    " recognition, evocation, consolidation, forgetting, sealed set, development set"
).split(", ")
# The measurements whose figures the README gives, and their metric.
SHOWN = (
    ("scenarios-authored-unseen-offline", "recall_at_context"),
    ("locomo", "recall@10"),
    ("musique", "recall@5"),
)
# Pages that users do not have.
ABSENT = re.compile(r"\bSPEC\b|\bDESIGN\b|\bSTYLE\b|\bS1?\d(?:\.\d+)?\b|\bshared/")
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)")


def pages() -> list[Path]:
    return [*PROJECT.glob("*.md"), *DOCS.rglob("*.md"), *(PROJECT / "benchmarks").rglob("*.md")]


def test_the_public_names_are_those_of_the_glossary() -> None:
    first_cells = re.findall(r"^\| (`[^|]+) \|", GLOSSARY.split("## Public classes")[1], re.MULTILINE)
    assert sorted(name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)) == oroi_graph.__all__


def test_every_term_is_in_the_glossary() -> None:
    """The terms of the field that the code uses, and each concept that docs/concepts.md explains."""
    concepts = (DOCS / "concepts.md").read_text(encoding="utf-8").split("## What is kept")[1]
    explained = re.findall(r"^\*\*([A-Z][a-z ]+)\.\*\*", concepts, re.MULTILINE)
    assert len(explained) > 20
    assert [term for term in [*FIELD, *map(str.lower, explained)] if term not in map(str.lower, TERMS)] == []


def test_terms_are_in_alphabetical_order_and_defined_once() -> None:
    assert sorted(set(TERMS), key=str.lower) == TERMS


def test_links_lead_somewhere() -> None:
    broken = [
        (page.name, target)
        for page in pages()
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_no_page_names_files_that_users_lack() -> None:
    named = {page.name: found for page in pages() if (found := ABSENT.findall(page.read_text(encoding="utf-8")))}
    assert named == {}


def test_modules_and_statements_of_the_architecture_exist() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)+)`", text)
    assert len(named) > 20
    package = PROJECT / "oroi_graph"
    rooms = {path.parent.name for path in package.rglob("*.py")}
    assert not rooms & set(re.findall(r"`([a-z_]+)\.[a-z_.]+`", text)), "modules are told as paths"
    missing = [
        name
        for name in named
        if not (package / f"{name}.py").exists() and not (PROJECT / "cypher" / f"{name}.cypher").exists()
    ]
    assert missing == []


def test_every_rule_and_feature_of_an_explanation_is_explained() -> None:
    parts = (DOCS / "explaining.md").read_text(encoding="utf-8").split("\n## ")[1:]
    rules, exclusions, features = (re.findall(r"^\| ([^|]+?) \|", part, re.MULTILINE)[1:] for part in parts)
    ranking = Ranking()
    assert (tuple(rules), tuple(exclusions)) == (get_args(Rule), get_args(Exclusion))
    assert set(features) == {*ranking.first_stage, *ranking.second_stage}


def test_drawing_and_index_are_what_their_scripts_write() -> None:
    drawing = script(DOCS / "architecture_drawing.py").drawing()
    assert (DOCS / "architecture.svg").read_text(encoding="utf-8") == drawing, "make docs"
    index = DOCS / "decisions" / "README.md"
    assert index.read_text(encoding="utf-8") == script(DOCS / "decisions_index.py").page(), "make docs"


def test_the_data_model_is_that_of_schema_archive_and_statements() -> None:
    page = script(DOCS / "data_model.py")
    assert (DOCS / "data-model.md").read_text(encoding="utf-8") == page.text(), "make docs"
    page.LABELS.pop("Digest")
    with pytest.raises(ValueError, match="Digest"):
        page.text()


def test_properties_that_statements_set_are_in_the_data_model() -> None:
    """Of nodes and relationships that a turn or a sleep writes: else the page leaves out what is no content."""
    page = (DOCS / "data-model.md").read_text(encoding="utf-8")
    set_ = {
        name
        for statement, body in script(DOCS / "data_model.py").bodies().items()
        if statement.split("/")[0] in ("perception", "activation")
        for name in re.findall(r"\b[a-z]\.(\w+) = ", body)
    }
    assert len(set_) > 20
    assert sorted(name for name in set_ - DERIVED if f"`{name}`" not in page) == []


def test_the_figures_of_the_readme_are_those_of_the_results() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    rows = []
    for stem, metric in SHOWN:
        results = json.loads((DOCS / "evaluation" / "results" / f"{stem}.json").read_text(encoding="utf-8"))
        figures = {name: 100 * found["metrics"][metric] for name, found in results["conditions"].items()}
        rows.append(f"| **{figures.pop('oroi'):.1f} %** | {max(figures.values()):.1f} % |")
    assert re.findall(r"\| \*\*.+$", readme, re.MULTILINE) == rows
