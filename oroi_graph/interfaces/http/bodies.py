"""What operations take. Unknown members are refused, so that a misspelled one is not silently ignored."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from oroi_graph.memory import RecallDetails
from oroi_graph.model import RecordKind, TurnDetails
from oroi_graph.recall.request import Filters

YEARS = (1900, 2200)  # of times that are taken


def _sane(at: datetime) -> datetime:
    if not YEARS[0] <= at.year <= YEARS[1]:
        raise ValueError(f"the year must be {YEARS[0]} to {YEARS[1]}")
    return at


Words = Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Moment = Annotated[AwareDatetime, AfterValidator(_sane)]
Memories = Annotated[list[Name], Field(min_length=1, max_length=50)]


class Body(BaseModel):
    """An object that has no other members."""

    model_config = ConfigDict(extra="forbid")


class Said(Body):
    """A turn of the user."""

    text: Words
    speaker: Name | None = Field(None, description="Who says it; the only one so far by default.")
    session: Name | None = None
    at: Moment | None = Field(None, description="When it was said; now by default.")
    id: Name | None = Field(None, description="Yours: the same id is the same turn.")

    def details(self, id: str | None) -> TurnDetails:
        """As the façade takes it."""
        return {"speaker": self.speaker, "session": self.session, "at": self.at, "id": id}


class NewTurn(Said):
    """A turn; with the reply it is closed at once."""

    reply: Words | None = None


class Imported(Body):
    """A conversation in any format that `oroi import` knows, as the text of its file."""

    content: Annotated[str, StringConstraints(min_length=1)]
    name: Name = Field("import", description="What it is called; part of the ids of turns that have none.")
    speaker: Name | None = Field(None, description="Who the user is, where the content does not say it.")


class Closing(Body):
    """The end of a turn."""

    reply: Words | None = Field(None, description="What the assistant answered.")
    injected: Annotated[list[Name], Field(max_length=2000)] = Field(
        [], description="concept_ids of the brief that the model was given: they are remembered a little better."
    )


class Question(Body):
    """A question to the memories that the key opens."""

    question: Words
    memories: Memories = Field(
        default_factory=list, description="Some of the memories that the key opens; all of them by default."
    )
    speaker: Name | None = Field(None, description='Whom "I" and "my" mean; the only speaker by default.')
    at: Moment | None = Field(None, description='The moment of asking, whose day is "today"; now by default.')
    budget: Annotated[int, Field(ge=1, le=32_768)] | None = Field(None, description="Tokens of the brief.")
    session: Name | None = Field(None, description="Only what was said in this session.")
    said_by: Name | None = Field(None, description="Only what this person said.")
    since: Name | None = Field(None, description="Only from this ISO date or time on.")
    until: Name | None = Field(None, description="Only before this ISO date or time.")
    kind: RecordKind | None = Field(None, description="Only what was said, only contract entries, or only notes.")

    def names(self) -> list[str] | None:
        """The memories that were named, None if none were."""
        return self.memories if "memories" in self.model_fields_set else None

    def details(self) -> RecallDetails:
        """As the façade takes it. Raises InputError for unusable dates."""
        filters = Filters(
            session=self.session, speaker=self.said_by, since=self.since, until=self.until, kind=self.kind
        )
        return {"speaker": self.speaker, "at": self.at, "filters": filters, "budget": self.budget}


class RecordQuestion(Question):
    """A question for the ranking behind the brief."""

    k: Annotated[int, Field(ge=1, le=200)] = Field(10, description="How many records.")


class Forgetting(Body):
    """What to forget."""

    what: Words = Field(description='A name, "my boss", "that I live in Bilbao", or an id.')
    speaker: Name | None = Field(None, description='Whom "my" means.')


class PlannedForgetting(Forgetting):
    """What to forget, as it was shown."""

    plan: Name = Field(description="The id of the plan that was shown.")


class FactEdit(Body):
    """What to change of a fact; what is left out stays."""

    relation: Name | None = None
    target: Name | None = None
    when: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        None, description="An ISO date, month or year, or start/end; empty: no time."
    )
    speaker: Name | None = Field(None, description='Whom "my" means in the target.')


class MergePair(Body):
    """Two concepts, each by label or id."""

    first: Name
    second: Name


class MergeUndo(Body):
    """How to undo a merge."""

    later: StrictBool = Field(False, description="First undo those that were built on it.")


class Trial(Body):
    """Whether to do it or only to say what would be done."""

    dry_run: StrictBool = False


class Submitted(Body):
    """An entry of the contract, as its schema has it."""

    entry: dict[str, Any]


class Settlement(Body):
    """The entry that settles disputes, and what it settles: ids of entries or conflicts."""

    ids: Annotated[list[Name], Field(min_length=1, max_length=100)]
    entry: dict[str, Any]
