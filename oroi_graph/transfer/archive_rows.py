"""What the lines of an imported memory become: rows for the database, each checked against those before it.

Ids of concepts, associations and merges are kept; what is derived from the memory's name (ids of records, slots)
is made for the new name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oroi_graph.errors import InputError
from oroi_graph.language.normalize import check_text, digest
from oroi_graph.model import KINDS
from oroi_graph.storage.rows import record_id
from oroi_graph.storage.store import Row
from oroi_graph.transfer.archive_format import OBJECTS, checked, decoded

NODES = ("concept", "absorbed_concept")


class Rows:
    """The rows of one import into the memory `name`, and the keys of all that it has read (`met`, by kind)."""

    def __init__(self, name: str, dimensions: int) -> None:
        self.name, self.dimensions = name, dimensions
        self.met: dict[str, set[object]] = {kind: set() for kind in (*OBJECTS, "label")}
        self._last = OBJECTS[0]
        self._readers: dict[str, Callable[[Row], Row]] = {
            "concept": self._concept,
            "absorbed_concept": self._absorbed_concept,
            "record": self._record,
            "association": self._association,
            "mention": self._mention,
            "coincidence": self._coincidence,
            "merge": self._merge,
            "former_association": self._former_association,
            "former_mention": self._former_mention,
            "former_coincidence": self._former_coincidence,
            "comparison": self._comparison,
            "sleep": self._sleep,
            "forgetting": self._forgetting,
        }

    def read(self, line: Row) -> tuple[str, Row]:
        """One line's kind, and the row that `transfer/import_‹kind›s` takes. Raises InputError, KeyError, …"""
        if len(line) != 1 or next(iter(line)) not in OBJECTS:
            raise InputError(f"it must hold one of {', '.join(OBJECTS)}")
        kind, found = next(iter(line.items()))
        if OBJECTS.index(kind) < OBJECTS.index(self._last):
            raise InputError(f"a {kind} after a {self._last}: the order is {', '.join(OBJECTS)}")
        self._last = kind
        return kind, self._readers[kind](checked(kind, found))

    def known_record(self, name: Sequence[str]) -> str:
        """The id that this memory gives to the record named [turn id, role]."""
        turn_id, role = name
        id_ = record_id(self.name, turn_id, role)
        if id_ not in self.met["record"]:
            raise InputError(f"there is no record {name!r}")
        return id_

    def _concept(self, content: Row) -> Row:
        row = self._node("concept", content)
        self._meet("label", (content["kind"], content["label_key"]))
        return row

    def _absorbed_concept(self, content: Row) -> Row:
        return self._node("absorbed_concept", content)

    def _node(self, kind: str, content: Row) -> Row:
        if content["kind"] not in KINDS:
            raise InputError(f"concept kind must be one of {', '.join(KINDS)}")
        if content["id"] in self.met["concept"]:
            raise InputError(f"a second concept {content['id']!r}")
        self._meet(kind, content["id"])
        return {"embedding": decoded(content.pop("embedding"), self.dimensions), "properties": content}

    def _record(self, content: Row) -> Row:
        if content["role"] not in ("user", "assistant") or content.get("kind") != "episode":
            raise InputError("a record must be an episode of role user or assistant")
        resting = content.get("resting") is True
        for text in (content["text"], content.get("verbatim")):
            if text is not None and not (text == "" and resting and content.get("verbatim")):
                check_text(text, len(text))
        id_ = record_id(self.name, content["turn_id"], content["role"])
        self._meet("record", id_)
        # What rests needs no vector: no search is to find it.
        given = content.pop("embedding", None) if resting else content.pop("embedding")
        embedding = None if given is None else decoded(given, self.dimensions)
        return {"embedding": embedding, "properties": {**content, "id": id_}}

    def _association(self, content: Row) -> Row:
        ends = self._ends(content, "concept")
        self._meet("association", content["id"])
        return {**ends, "properties": self._stated(content, ends)}

    def _mention(self, content: Row) -> Row:
        record, concept = self.known_record(content.pop("record")), self._known(content.pop("concept"), "concept")
        self._meet("mention", (record, concept))
        return {"record": record, "concept": concept, "properties": content}

    def _coincidence(self, content: Row) -> Row:
        ends = self._ends(content, "concept")
        self._meet("coincidence", tuple(ends.values()))
        return {**ends, "properties": content}

    def _merge(self, content: Row) -> Row:
        source = self._known(content.pop("source"), "absorbed_concept")
        target = self._known(content.pop("target"), *NODES)
        self._meet("merge", content["id"])
        return {"source": source, "target": target, "properties": content}

    def _former_association(self, content: Row) -> Row:
        ends = self._ends(content, *NODES)
        self._meet("former_association", (*ends.values(), content["id"], content["merge"]))
        return {**ends, "properties": self._stated(content, ends)}

    def _former_mention(self, content: Row) -> Row:
        record = self.known_record(content.pop("record"))
        concept = self._known(content.pop("concept"), "absorbed_concept")
        self._meet("former_mention", (record, concept))
        return {"record": record, "concept": concept, "properties": content}

    def _former_coincidence(self, content: Row) -> Row:
        ends = self._ends(content, *NODES)
        self._meet("former_coincidence", (*ends.values(), content["merge"]))
        return {**ends, "properties": content}

    def _comparison(self, content: Row) -> Row:
        ends = self._ends(content, *NODES)
        self._meet("comparison", tuple(ends.values()))
        return {**ends, "properties": content}

    def _sleep(self, content: Row) -> Row:
        self._meet("sleep", content["turn"])
        return {"properties": content}

    def _forgetting(self, content: Row) -> Row:
        self._meet("forgetting", content["id"])
        return {"properties": content}

    def _stated(self, content: Row, ends: Row) -> Row:
        """An association's properties in this memory: the hash it is found by, the ids of its records."""
        listed = {
            key: [self.known_record(record) for record in content[key]]
            for key in ("records", "host_records")
            if content.get(key) is not None
        }
        return {**content, "slot": digest(self.name, ends["source"], content["class"]), **listed}

    def _ends(self, content: Row, *kinds: str) -> Row:
        return {end: self._known(content.pop(end), *kinds) for end in ("source", "target")}

    def _known(self, concept: object, *kinds: str) -> str:
        if not any(concept in self.met[kind] for kind in kinds):
            raise InputError(f"there is no {kinds[0].replace('_', ' ')} {concept!r}")
        return str(concept)

    def _meet(self, what: str, key: object) -> None:
        if key in self.met[what]:
            raise InputError(f"a second {what} {key!r}")
        self.met[what].add(key)
