"""The same graph as neomodel classes, for people who prefer an OGM. Made for reading.

    connect_ogm("bolt://localhost:7687", "neo4j", "secret")
    ana = Memory.nodes.get(name="ana")
    for concept in ana.concepts().order_by("-activation"):
        for other in concept.associated_with:
            for association in concept.associated_with.all_relationships(other):
                print(concept.label, association.relation, other.label)
    disconnect_ogm()

One database holds many memories: filter by `memory`, or begin at a `Memory`. Property names are those of the
graph, but for two that neomodel or Python reserve: `uid` is the property `id`, `relation_class` is `class`.

What is saved here bypasses perception: no label key, full-text line, embedding or clock follows. To change a
memory use `oroi_graph`'s own verbs. And never `install_all_labels`: migrations own the schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import neo4j
from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    Relationship,
    RelationshipFrom,
    RelationshipTo,
    StringProperty,
    StructuredNode,
    StructuredRel,
    db,
    get_config,
)
from neomodel.properties import Property, validator

from oroi_graph.storage.store import Store


def connect_ogm(
    uri: str, user: str = "neo4j", password: str | None = None, database: str | None = None
) -> neo4j.Driver:
    """Point neomodel at a database, for the whole process; returns the driver, which `disconnect_ogm` closes.

    database: None is the server's default. neomodel keeps the database's name per thread: another thread
    that needs a database other than the default calls this again. Raises SettingsError, UnreachableError or
    CredentialsError.
    """
    with Store(uri, user, password, database) as store:
        store.verify()  # neomodel would answer a wrong address or password with the driver's own errors
    disconnect_ogm()
    auth = (user, password) if password is not None else None
    # "OFF": a property that no node has yet (superseded_turn, in a young memory) is no reason to warn.
    driver = neo4j.GraphDatabase.driver(uri, auth=auth, notifications_min_severity="OFF")
    get_config().database_name = database
    try:
        db.set_connection(driver=driver)
    except BaseException:
        driver.close()
        raise
    return driver


def disconnect_ogm() -> None:
    """Close the driver that neomodel uses; nothing happens when there is none."""
    db.close_connection()


class BytesProperty(Property[bytes]):
    """Bytes as they are."""

    form_field_class = "CharField"

    @validator
    def inflate(self, value: Any) -> bytes:
        """What was read."""
        return bytes(value)

    @validator
    def deflate(self, value: Any) -> bytes:
        """What is written."""
        return bytes(value)


class Associated(StructuredRel):
    """(:Concept)-[:ASSOCIATED]->(:Concept): a stated fact. The weight learns, the relation describes."""

    uid = StringProperty(db_property="id", required=True)
    memory = StringProperty(required=True)
    relation = StringProperty(required=True)
    relation_class = StringProperty(db_property="class")
    slot = StringProperty()
    weight = FloatProperty()
    negated = BooleanProperty()
    contested = BooleanProperty()
    implied = BooleanProperty()
    first_turn = IntegerProperty()
    last_turn = IntegerProperty()
    count = IntegerProperty()
    stated_at = StringProperty()
    when = StringProperty()
    superseded_turn = IntegerProperty()
    superseded_by = StringProperty()
    contested_turn = IntegerProperty()  # of the turn that contested it
    consolidated = BooleanProperty()  # it stays without a record: promoted in sleep, edited, its records are gone
    edited = BooleanProperty()  # by a person, without an episode
    edited_by = StringProperty()
    forgetting = StringProperty()  # of a forgetting under way
    records = ArrayProperty(StringProperty())

    @property
    def current(self) -> bool:
        """Whether no later statement has replaced this one."""
        return self.superseded_turn is None


class Mentions(StructuredRel):
    """(:Record)-[:MENTIONS]->(:Concept): how the words found their concept, so that it can be split again."""

    surface = StringProperty()
    method = StringProperty()
    score = FloatProperty()
    of_merge = StringProperty()  # taken over from an absorbed concept
    strength_before = FloatProperty()  # of the concept, where the turn fixed it
    fixed_before = BooleanProperty()


class Coincided(StructuredRel):
    """(:Concept)-[:COINCIDED]-(:Concept): mentioned in one turn without a stated relation, once a turn."""

    memory = StringProperty()
    count = IntegerProperty()
    last_turn = IntegerProperty()


class Compared(StructuredRel):
    """(:Concept)-[:COMPARED]-(:Concept): a pair that sleep looked at: "apart", or "doubtful" until it is judged."""

    memory = StringProperty()
    verdict = StringProperty()
    by = StringProperty()
    method = StringProperty()
    score = FloatProperty()
    turn = IntegerProperty()
    merge = StringProperty()  # of a merge that was undone
    merged_by = StringProperty()
    place = IntegerProperty()
    at = StringProperty()
    inherited = StringProperty()  # from a concept that this merge absorbed


class MergedInto(StructuredRel):
    """(:Merged)-[:MERGED_INTO]->(:Concept): who made them one, how sure; what an undo needs is beside it."""

    uid = StringProperty(db_property="id", required=True)
    memory = StringProperty()
    by = StringProperty()
    method = StringProperty()
    score = FloatProperty()
    turn = IntegerProperty()
    place = IntegerProperty()  # the memory's merges are counted
    at = DateTimeNeo4jFormatProperty()


class _Conceptual(StructuredNode):
    """What concepts are, and stay when they are absorbed."""

    __abstract_node__ = True

    uid = StringProperty(db_property="id", required=True)
    memory = StringProperty(required=True)
    memory_key = StringProperty()
    label = StringProperty(required=True)
    label_key = StringProperty(required=True)
    label_text = StringProperty()
    aliases = ArrayProperty(StringProperty())
    kind = StringProperty(required=True)
    activation = FloatProperty()
    strength = FloatProperty()
    exposure = FloatProperty()
    mentions = IntegerProperty()
    fixed = BooleanProperty()
    first_turn = IntegerProperty()
    last_turn = IntegerProperty()
    slept = IntegerProperty()  # the turn up to which strength has grown and decayed
    forgetting = StringProperty()  # of a forgetting under way
    embedding = ArrayProperty(FloatProperty())
    vector_bytes = BytesProperty()  # the same, float32 and big-endian: what loading a memory reads
    created_at = DateTimeNeo4jFormatProperty()


class Concept(_Conceptual):
    """(:Concept): activation is fast and decays with turns; strength, 0..1, is slow."""

    __optional_labels__: ClassVar[list[str]] = ["Unindexed", "IndexedConcept"]

    associated_with = RelationshipTo("Concept", "ASSOCIATED", model=Associated)
    associated_from = RelationshipFrom("Concept", "ASSOCIATED", model=Associated)
    coincided_with = Relationship("Concept", "COINCIDED", model=Coincided)
    compared_with = Relationship("Concept", "COMPARED", model=Compared)
    mentioned_in = RelationshipFrom("Record", "MENTIONS", model=Mentions)
    absorbed = RelationshipFrom("Merged", "MERGED_INTO", model=MergedInto)


class Merged(_Conceptual):
    """(:Merged): a concept that a merge made part of another one. Recall does not see it; an undo brings it back."""

    merged_into = RelationshipTo("Concept", "MERGED_INTO", model=MergedInto)  # unless that was absorbed in turn


class Record(StructuredNode):
    """(:Record): verbatim text with its date and provenance, of whatever kind."""

    __optional_labels__: ClassVar[list[str]] = ["Unindexed", "IndexedRecord"]

    uid = StringProperty(db_property="id", required=True)
    memory = StringProperty(required=True)
    memory_key = StringProperty()
    kind = StringProperty()
    turn_id = StringProperty()
    turn = IntegerProperty()
    role = StringProperty()
    speaker = StringProperty()
    session = StringProperty()
    at = StringProperty()
    text = StringProperty(required=True)
    words = StringProperty()  # the vectors of its words, for late interaction
    associations = ArrayProperty(StringProperty())
    surprise = FloatProperty()
    fixed = BooleanProperty()  # by an explicit "remember" or a strong charge
    extractor = StringProperty()
    extraction = StringProperty()
    failure = StringProperty()
    acknowledged = BooleanProperty()
    verbatim = StringProperty()  # the words as they were said, where `text` is a gist of them or the record rests
    gist_turn = IntegerProperty()
    gist_by = StringProperty()
    gist_facts = ArrayProperty(StringProperty())  # the associations that held when the gist was made
    resting = BooleanProperty()  # off the recall path: no text, no embedding
    faded = BooleanProperty()  # some of its facts were pruned
    forgot = BooleanProperty()  # the turn said to forget something
    forgetting = StringProperty()  # of a forgetting under way
    embedding = ArrayProperty(FloatProperty())
    vector_bytes = BytesProperty()  # the same, float32 and big-endian: what loading a memory reads
    created_at = DateTimeNeo4jFormatProperty()

    mentions = RelationshipTo("Concept", "MENTIONS", model=Mentions)


class Episode(Record):
    """(:Record:Episode): one turn of conversation."""


class Sleep(StructuredNode):
    """(:Sleep): the run record of one sleep, up to the closed turn `turn`. `report` is JSON text, numbers only."""

    memory = StringProperty(required=True)
    turn = IntegerProperty(required=True)
    since = IntegerProperty()
    state = StringProperty()  # running, done, failed, abandoned
    report = StringProperty()
    failure = StringProperty()
    attempts = IntegerProperty()
    owner = StringProperty()
    fence = IntegerProperty()
    due = DateTimeNeo4jFormatProperty()
    started_at = DateTimeNeo4jFormatProperty()
    finished_at = DateTimeNeo4jFormatProperty()


class Forgetting(StructuredNode):
    """(:Forgetting): that something was forgotten on request, when, by whom and how much; never what."""

    uid = StringProperty(db_property="id", required=True)
    memory = StringProperty(required=True)
    state = StringProperty()
    by = StringProperty()
    turn = IntegerProperty()
    at = DateTimeNeo4jFormatProperty()
    concepts = IntegerProperty()
    associations = IntegerProperty()
    records = IntegerProperty()
    gists = IntegerProperty()
    coincidences = IntegerProperty()
    merges = IntegerProperty()
    gone = ArrayProperty(StringProperty())  # hashes, so that an import does not bring it back


def _node_set(of: type[StructuredNode], what: str) -> Callable[[Memory], Any]:
    def node_set(self: Memory) -> Any:
        return of.nodes.filter(memory=self.name)

    node_set.__doc__ = f"The node set of {what}."
    return node_set


class Memory(StructuredNode):
    """(:Memory): one tenant; its conversational clock and its pinned embedding model."""

    name = StringProperty(required=True)
    turn = IntegerProperty()
    embedding_model = StringProperty()
    dimensions = IntegerProperty()
    memory_key = StringProperty()
    open_turn = StringProperty()
    last_reply = StringProperty()
    lock = StringProperty()
    gate = IntegerProperty()  # a second lock, for readers of a whole state
    version = IntegerProperty()  # how many changes were made so far
    stamp = StringProperty()  # of the last change: no other state has it
    dim = ArrayProperty(StringProperty())  # concepts that are lit too faintly to outlast the open turn
    dim_activation = ArrayProperty(FloatProperty())  # how much each is lit
    slept_turn = IntegerProperty()
    merges = IntegerProperty()  # how many were made so far
    heard_at = DateTimeNeo4jFormatProperty()  # by the server's clock, for workers
    lease_owner = StringProperty()  # who consolidates it now
    lease_until = DateTimeNeo4jFormatProperty()
    lease_fence = IntegerProperty()
    created_at = DateTimeNeo4jFormatProperty()

    concepts = _node_set(Concept, "this memory's concepts; filter and order it further")
    merged = _node_set(Merged, "the concepts that merges absorbed")
    sleeps = _node_set(Sleep, "this memory's sleeps")
    forgettings = _node_set(Forgetting, "the audit lines of what this memory forgot")
    records = _node_set(Record, "this memory's records, episodes included")
    episodes = _node_set(Episode, "this memory's turns of conversation")
