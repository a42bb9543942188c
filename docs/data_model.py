"""Write docs/data-model.md: labels, relationships, properties, indexes, and which rooms write them.

python docs/data_model.py

Properties, types and ranges are those of `oroi_graph/transfer/archive.toml`, constraints and indexes those of
`cypher/migrations`, rooms those whose statements change a label. The meanings are written here; one that is missing, or
that nothing has any more, is an error.
"""

from __future__ import annotations

import re
from pathlib import Path

from oroi_graph.storage import migrations, statements
from oroi_graph.transfer import archive_schema as schema

TARGET = Path(__file__).with_name("data-model.md")
LABELS = {
    "Memory": "One memory: its name, its turn number, and what holds for all of it. Its lock orders the writers.",
    "Concept": "A thing that was mentioned.",
    "Merged": "A concept that a merge absorbed; kept so that the merge can be undone.",
    "Record": "Words that are kept: an episode, an entry or a note, by its second label.",
    "Episode": "The literal words of one turn; always a `Record`, too.",
    "Unindexed": "A concept or record that the vector and full-text indexes lack; recall finds it.",
    "IndexedConcept": "A concept that the indexes have.",
    "IndexedRecord": "A record that the indexes have.",
    "Entry": "One claim under a contract; always a `Record`, too.",
    "Note": "A chunk of a Markdown file, with `shelf`, the index that it belongs to.",
    "NoteFile": "A Markdown file of a workspace.",
    "NoteVector": "A vector of a text that no note holds any more, for when the text comes back.",
    "Workspace": "A folder of notes that belongs to a memory.",
    "Sleep": "One run of consolidation: its state and report.",
    "Forgetting": "What was deleted on request, in ids and counts; no words.",
    "Contract": "A published version of a memory's contract.",
    "Author": "An agent that a contract lets write, with the hash of its token.",
    "EntryKey": "The node whose lock orders the writers of one key.",
    "Receipt": "What was answered to an idempotency key.",
    "Checkpoint": "The signed state of the chain at one moment.",
    "Digest": "A digest of entries that is kept until it is out of date.",
    "Calibration": "The thresholds of an embedding model.",
    "Item": "An exact JSON value that a framework keeps beside the turns.",
    "Key": "A secret of the interfaces: its hash and its rights.",
    "Request": "A request of a key that is not to be carried out twice.",
    "Schema": "The node whose lock orders migrations.",
    "Migration": "A migration that was applied, with its checksum.",
    "Filler": "What scrubbing fills the free pages of the disk with; gone when it ends.",
}
TYPES = {
    "ASSOCIATED": "An association: a directed, weighted relation between two concepts.",
    "COINCIDED": "Two concepts were mentioned in one turn; from the smaller id to the larger.",
    "MENTIONS": "A record names a concept.",
    "COMPARED": "A judge or a rule has decided whether two concepts are one.",
    "MERGED_INTO": "A merge: from what was absorbed to what remains, with both states before it.",
    "WAS_ASSOCIATED": "An association as it was before a merge.",
    "WAS_COINCIDED": "A coincidence as it was before a merge.",
    "WAS_MENTIONED": "A mention as it was before a merge.",
    "CONTRADICTS": "Two entries exclude each other.",
    "COVERS": "A generated entry covers the entries that it speaks of.",
    "SUPERSEDES": "An entry takes the place of another.",
    "OPENS": "A key opens a memory.",
    "ASKED": "A key has made a request.",
}
# The kinds of an archive, by what they are in the database, and what their properties mean.
KINDS: dict[str, tuple[str, dict[str, str]]] = {
    "memory": ("Memory", {
        "name": "its name", "created_at": "when it was made", "turn": "how many turns it has had: its only clock",
        "open_turn": "id of the turn that is not closed yet", "last_reply": "the assistant's record of the last turn",
        "slept_turn": "turn of the last sleep", "dimensions": "of its vectors", "embedding_model": "that made them",
        "merges": "merges so far", "dim": "concepts too faintly active to outlast the turn",
        "dim_activation": "their activation, in the same order", "model_calls": "calls of a model on its account",
        "model_input_tokens": "tokens sent", "model_output_tokens": "tokens received", "model_cost": "US dollars",
        "entries": "entries in its chain", "entry_hash": "hash of the last one", "chain": "id of the chain",
        "contract": "number of the contract in force", "authority": "public key that signs",
        "bare": "ids of entries that wait for a vector", "erasures": "erased entries",
        "entry_epoch": "grows when an entry changes afterwards",
    }),
    "concept": ("Concept", {
        "id": "made of the memory, the turn's id and the label key", "label": "how people call it",
        "label_key": "the normalized label; unique with `kind`", "label_text": "label and aliases for full-text search",
        "aliases": "other labels", "kind": "what kind of thing", "activation": "pulses, 0 to the ceiling",
        "strength": "how established, 0 to 1", "exposure": "activation summed over turns since the last sleep",
        "mentions": "turns that named it", "fixed": "asked to be remembered: never pruned",
        "first_turn": "turn of the first mention", "last_turn": "turn of the last one",
        "embedding": "its vector; `vector_bytes` is the same for loading",
        "created_at": "when it was made", "slept": "turn up to which sleep has counted it",
    }),
    "record": ("Record:Episode", {
        "turn_id": "id of its turn, as the caller gave it", "turn": "number of its turn", "role": "who spoke",
        "kind": "always `episode`", "speaker": "their name", "text": "the literal words, or the summary in their place",
        "associations": "ids of what it states", "session": "name of the conversation", "at": "when it was said",
        "created_at": "when it was written", "words": "word vectors, packed",
        "embedding": "its vector; `vector_bytes` is the same for loading",
        "extractor": "who read it", "extraction": "whether that worked", "failure": "why not",
        "surprise": "how unexpected it was", "fixed": "asked to be remembered",
        "acknowledged": "it was closed: a close that is repeated strengthens nothing",
        "forgot": "asked to forget: off the recall path", "faded": "some of its facts were pruned",
        "verbatim": "the words behind a summary", "gist_turn": "turn of the sleep that summarized it",
        "gist_by": "who summarized", "gist_facts": "ids of the facts that the summary states",
        "resting": "off the recall path", "redacted": "kinds of what was taken out before it was stored",
    }),
    "association": ("ASSOCIATED", {
        "id": "made of the memory, the turn's id and what it states", "relation": "the words of the relation",
        "class": "the relation class: phrases of one class are one relation",
        "weight": "grows with repetition and learning",
        "negated": "it was denied", "first_turn": "turn that stated it first", "last_turn": "turn that stated it last",
        "count": "turns that stated it", "records": "the records that state it: [turn id, role]",
        "contested": "contradicted, and not clear which holds", "contested_turn": "since when",
        "superseded_turn": "turn in which another took its place", "superseded_by": "id of that one",
        "implied": "the possession inside \"my boss\", not stated itself", "stated_at": "when it was said",
        "when": "the date that it speaks of, as precise as it was said", "confidence": "that the turn states it",
        "confidence_before": "confidence before it was last said more surely", "confidence_turn": "when that was",
        "consolidated": "made by sleep of a coincidence", "edited": "changed by hand", "edited_by": "by whom",
    }),
    "mention": ("MENTIONS", {
        "surface": "the words that named the concept", "method": "how they were resolved", "score": "how well",
        "strength_before": "strength before a \"remember\" raised it", "fixed_before": "the same for `fixed`",
        "kind_before": "kind before who is named spoke",
        "of_merge": "id of the merge that moved it here",
    }),
    "coincidence": ("COINCIDED", {"count": "turns with both", "last_turn": "the last of them"}),
}  # fmt: skip
_HEAD = """# Data model

Made by `python docs/data_model.py` from `cypher/` and `oroi_graph/transfer/archive.toml`. How a file of an exported
memory holds all of this is in [the formats](formats.md), the terms are in [the glossary](glossary.md).

Every node but `Memory`, `Key`, `Request`, `Schema`, `Migration`, `Calibration` and `Filler` has `memory`, the name of
its memory; so have associations and coincidences. Every statement that reads them is bound to it. Time is counted in
turns; clock times are only shown. Numbers outside their range are refused when a memory is imported. *Rooms* are those
whose statements change something in a statement that names the label: look there first (`cypher/ROOM`).
"""
_CHANGES = re.compile(r"\b(?:MERGE|CREATE|SET|DELETE|REMOVE)\b")
_ON_NODE = re.compile(r"\(\w*:(\w+(?:[:|&]\w+)*)")
_ON_RELATIONSHIP = re.compile(r"\[\w*:(\w+(?:\|\w+)*)")
_SET = re.compile(r"\bSET \w+((?::\w+)+)")


def bodies() -> dict[str, str]:
    """The statements without comments, by name; the migrations' guards are the storage room's."""
    folder = statements.folder()
    return {
        name: re.sub(r"//.*", "", (folder / f"{name}.cypher").read_text(encoding="utf-8"))
        for name in statements.names()
    }


def named() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """{label: rooms that change it}, {relationship type: rooms that change it}, for all that the statements name."""
    labels: dict[str, set[str]] = {}
    types: dict[str, set[str]] = {}
    for name, body in bodies().items():
        rooms = {name.split("/")[0]} if _CHANGES.search(body) else set()
        for pattern, into in ((_ON_NODE, labels), (_SET, labels), (_ON_RELATIONSHIP, types)):
            for found in pattern.findall(body):
                for one in filter(None, re.split("[:|&]", found)):
                    into.setdefault(one, set()).update(rooms)
    return labels, types


def schema_lines() -> list[tuple[str, str, str]]:
    """(name, what, on what) of each constraint and index that the migrations leave."""
    found = {}
    for migration in migrations.shipped():
        for statement in migration.statements(1):
            for dropped in re.findall(r"^DROP (?:INDEX|CONSTRAINT) (\w+)", statement):
                del found[dropped]
            made = re.match(r"CREATE (.*?) ?(CONSTRAINT|INDEX) (\w+) IF NOT EXISTS FOR (.+)", statement, re.DOTALL)
            if made is None:
                continue
            kind, what, name, rest = made.groups()
            on = re.sub(r"\s+", " ", rest.split(" OPTIONS")[0].split("\nOPTIONS")[0])
            label = re.findall(r":(\w+)", on)[0]
            keys = ", ".join(dict.fromkeys(re.findall(r"\b\w\.(\w+)", on)))
            what = "unique" if what == "CONSTRAINT" else f"{kind.lower()} index".strip() if kind else "range index"
            found[name] = (name, what, f"`{label}` ({keys})")
    return list(found.values())


def type_of(name: str) -> str:
    """A type of `archive.toml` in words."""
    type_ = schema.TYPES[name]
    if type_.choices:
        return ", ".join(f"`{choice}`" for choice in type_.choices)
    words = {"whole": "whole number", "flag": "true or false", "object": "JSON text", "base64": "numbers, packed"}
    said = words.get(type_.type, type_.type)
    if type_.type == "list":
        return f"list of {type_of(type_.items)}"
    if type_.type in ("whole", "number") and type_.least is not None:
        return f"{said}, {type_.least:g} to {type_.most:g}"
    return said


def text() -> str:
    """The page. Raises ValueError for what has no meaning here, or has one and is nowhere."""
    labels, types = named()
    lines = [_HEAD]
    for title, meanings, found in (("Nodes", LABELS, labels), ("Relationships", TYPES, types)):
        kinds = {line.split("`")[1] for _, _, line in schema_lines()}
        there = set(found) | {one for one in kinds if (one in TYPES) == (meanings is TYPES)}
        if there != set(meanings):
            raise ValueError(f"described but nowhere, or not described: {sorted(there ^ set(meanings))}")
        what = "label" if meanings is LABELS else "type"
        lines += [f"## {title}\n", f"| {what} | meaning | rooms |", "|---|---|---|"]
        lines += [f"| `{one}` | {said} | {', '.join(sorted(found.get(one, ()))) or 'storage'} |"
                  for one, said in meanings.items()]  # fmt: skip
        lines.append("")
    lines.append("## Properties\n\nOf the kinds that make up the graph; those of the others are in `archive.toml`.\n")
    for kind, (where, said) in KINDS.items():
        line = schema.MEMORY if kind == "memory" else schema.LINES[kind]
        typed = {**line.properties, **line.optional}
        if typed.keys() != said.keys():
            raise ValueError(f"{kind}: described but nowhere, or not described: {sorted(typed.keys() ^ said.keys())}")
        lines += [f"### `{where}`\n", "| property | type and range | meaning |", "|---|---|---|"]
        lines += [f"| `{name}`{'' if name in line.properties else ' (optional)'} | {type_of(of)} | {said[name]} |"
                  for name, of in typed.items()]  # fmt: skip
        lines.append("")
    derived = ", ".join(f"`{name}`" for name in sorted(schema.DERIVED) if not name.startswith("touched_"))
    lines.append(
        "Beside these there is what follows from the memory's name, or what processes tell each other (versions, "
        f"locks, leases, marks `touched_0` … of what changed); it is not exported: {derived}.\n"
    )
    lines += ["## Constraints and indexes\n", "| name | kind | on |", "|---|---|---|"]
    lines += [f"| `{name}` | {what} | {on} |" for name, what, on in schema_lines()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
