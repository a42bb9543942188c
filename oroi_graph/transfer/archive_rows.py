"""What the lines of an imported memory become: rows for the database, each checked against those before it.

Ids of concepts, associations and merges are kept; what is derived from the memory's name (ids of records, slots)
is made for the new name.
"""

from __future__ import annotations

from collections.abc import Sequence

from oroi_graph.errors import InputError
from oroi_graph.language.normalize import check_text, digest
from oroi_graph.providers.word_vectors import bytes_of, fit_of, packed_width
from oroi_graph.storage.rows import item_id, item_path, record_id
from oroi_graph.storage.store import Row
from oroi_graph.transfer.archive_format import OBJECTS, decoded
from oroi_graph.transfer.archive_schema import LINES, checked, shown

NODES = ("concept", "absorbed_concept")


class Rows:
    """The rows of one import into the memory `name`, and the keys of all that it has read (`met`, by kind)."""

    def __init__(self, name: str, dimensions: int) -> None:
        self.name, self.dimensions = name, dimensions
        self.met: dict[str, set[object]] = {kind: set() for kind in (*OBJECTS, "label")}
        self._last = OBJECTS[0]

    def read(self, line: Row) -> tuple[str, Row]:
        """One line's kind, and the row that `transfer/import_‹kind›s` takes. Raises InputError, KeyError, …"""
        if len(line) != 1 or next(iter(line)) not in OBJECTS:
            raise InputError(f"it must hold one of {', '.join(OBJECTS)}")
        kind, found = next(iter(line.items()))
        if OBJECTS.index(kind) < OBJECTS.index(self._last):
            raise InputError(f"{kind} after {self._last}: the order is {', '.join(OBJECTS)}")
        self._last = kind
        content = checked(kind, found)
        if kind in NODES:
            return kind, self._node(kind, content)
        if kind == "entry":
            return kind, self._entry(content)
        if kind == "item":
            return kind, self._item(content)
        return kind, self._record(content) if kind == "record" else self._other(kind, content)

    def known_record(self, name: Sequence[str]) -> str:
        """The id that this memory gives to the record named [turn id, role]."""
        turn_id, role = name
        if role == "entry":
            if turn_id not in self.met["entry"]:
                raise InputError(f"there is no entry {shown(turn_id)}")
            return turn_id
        id_ = record_id(self.name, turn_id, role)
        if id_ not in self.met["record"]:
            raise InputError(f"there is no record {shown(name)}")
        return id_

    def _node(self, kind: str, content: Row) -> Row:
        if content["id"] in self.met["concept"]:
            raise InputError(f"a second concept {shown(content['id'])}")
        self._meet(kind, content["id"])
        embedding = decoded(content.pop("embedding"), self.dimensions)
        if kind == "concept":
            self._meet("label", (content["kind"], content["label_key"]))
        return {"embedding": embedding, "properties": content}

    def _record(self, content: Row) -> Row:
        resting = content.get("resting") is True
        for text in (content["text"], content.get("verbatim")):
            if text is not None and not (text == "" and resting and content.get("verbatim")):
                check_text(text, len(text))
        id_ = record_id(self.name, content["turn_id"], content["role"])
        self._meet("record", id_)
        self._check_words(content)
        # What rests needs no vector: no search is to find it. A turn whose embedder failed waits for a retry.
        waits = resting or content.get("extraction") == "failed"
        given = content.pop("embedding", None) if waits else content.pop("embedding")
        embedding = None if given is None else decoded(given, self.dimensions)
        return {"embedding": embedding, "properties": {**content, "id": id_}}

    def _entry(self, content: Row) -> Row:
        """An entry of the chain, which keeps its id; whether its hashes are right is what a verification tells."""
        if content["seq"] != len(self.met["entry"]) + 1:
            raise InputError(f"an entry with place {content['seq']} where {len(self.met['entry']) + 1} follows")
        text = content.get("text")
        if text is not None:
            check_text(text, len(text))
        elif content.get("erased_at") is None:
            raise InputError("an entry needs a text, unless it was erased")
        against = content.pop("contradicts", None) or []
        for id_ in [*content["parents"], *content["covers"], *(one[0] for one in against)]:
            if id_ not in self.met["entry"]:
                raise InputError(f"there is no entry {shown(id_)} before it")
        self._meet("entry", content["id"])
        self._check_words(content)
        given = content.pop("embedding", None)
        embedding = None if given is None else decoded(given, self.dimensions)
        contradicts = [{"id": id_, "properties": {"cosine": cosine, "reason": why}} for id_, cosine, why in against]
        return {"embedding": embedding, "properties": content, "contradicts": contradicts}

    def _item(self, content: Row) -> Row:
        path = item_path(content["namespace"])
        id_ = item_id(self.name, content["namespace"], content["key"])
        self._meet("item", id_)
        return {"properties": {**content, "id": id_, "path": path}}

    def _check_words(self, content: Row) -> None:
        """Packed words must be whole vectors of the memory's dimension, in one reading or in two."""
        words = content.get("words")
        if words is None:
            return
        size, width = bytes_of(self.dimensions), packed_width(words)
        once = width == size and fit_of(words) is None
        if not once and width != 2 * size:
            raise InputError(f"its words must be packed vectors of {self.dimensions} dimensions")

    def _other(self, kind: str, content: Row) -> Row:
        """A relationship between nodes that were read before, or a note of the memory about itself."""
        line = LINES[kind]
        ends = {end: self._end(end, content, kinds) for end, kinds in line.ends.items()}
        key = tuple((content | ends)[name] for name in line.key)
        self._meet(kind, key if len(key) > 1 else key[0])
        return {**ends, "properties": self._stated(content, ends) if kind.endswith("association") else content}

    def _stated(self, content: Row, ends: Row) -> Row:
        """An association's properties in this memory: the hash it is found by, the ids of its records."""
        listed = {
            key: [self.known_record(record) for record in content[key]]
            for key in ("records", "host_records")
            if content.get(key) is not None
        }
        return {**content, "slot": digest(self.name, ends["source"], content["class"]), **listed}

    def _end(self, end: str, content: Row, kinds: Sequence[str]) -> str:
        given = content.pop(end)
        if end == "record":
            return self.known_record(given)
        if not any(given in self.met[kind] for kind in kinds):
            raise InputError(f"there is no {kinds[0].replace('_', ' ')} {shown(given)}")
        return str(given)

    def _meet(self, what: str, key: object) -> None:
        if key in self.met[what]:
            raise InputError(f"a second {what} {shown(key)}")
        self.met[what].add(key)
