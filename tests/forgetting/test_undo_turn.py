"""Taking back a turn: the memory is as it was, but for what closing a turn teaches."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from graph_state import everything_of
from graph_view import NOON, association, associations, clock, concepts, current, records, stating, tell
from references import dangling

from oroi_graph import Extraction, InputError, Memory
from oroi_graph.errors import BusyError
from oroi_graph.model import ExtractedRelation, Replaced
from oroi_graph.storage.lease import leased

# What a turn's end teaches is not turned back; when a worker last heard something is no content.
LEARNED = {"activation", "exposure", "weight", "heard_at"}


def state(memory: Memory) -> list[str]:
    """All that the memory is, but for what is learned; the strength that a testing effect leaves is checked apart."""
    lines = []
    for line in everything_of(memory.graph.store, memory.name):
        content = json.loads(line)
        content[-1] = {k: v for k, v in content[-1].items() if k not in LEARNED and v is not None}
        lines.append(json.dumps(content, sort_keys=True, ensure_ascii=False))
    return sorted(lines)


def said(relation: str, target: str, **more: Any) -> Extraction:
    kind = more.pop("kind", "name")
    return stating(ExtractedRelation("I", relation, target, **more), **{f"{kind}s": [target]})


def a_past(memory: Memory) -> None:
    """A few turns with facts, coincidences, a correction, a repetition and replies."""
    tell(memory, "I live in Bilbao.", said("live in", "Bilbao"))
    tell(memory, "Marta likes golf.", stating(("Marta", "likes", "golf"), names=["Marta"], concepts=["golf"]))
    tell(memory, "Marta, golf, rain.", stating(names=["Marta"], concepts=["golf", "rain"]))
    turn = memory.perceive("I have a cat.", speaker="Ana", at=NOON, extraction=said("have", "cat", kind="concept"))
    turn.close("Koldo has a cat, too.", at=NOON)


def first_words(memory: Memory) -> None:
    tell(memory, "Rex is a dog.", stating(("Rex", "is a", "dog"), names=["Rex"], concepts=["dog"]), speaker="Luis")


def repetition(memory: Memory) -> None:
    tell(memory, "As I said, I live in Bilbao.", said("live in", "Bilbao"))


def correction(memory: Memory) -> None:
    tell(memory, "I live in Gernika now.", said("live in", "Gernika", replaces=True))


def correction_by_name(memory: Memory) -> None:
    tell(memory, "Not golf but chess.", stating(
        ExtractedRelation("Marta", "likes", "chess", replaces=Replaced("likes", "golf")),
        names=["Marta"], concepts=["chess"],
    ))  # fmt: skip


def correction_by_what_was_known(memory: Memory) -> None:
    said_again = ExtractedRelation("Marta", "likes", "tennis", replaces=Replaced("likes", "golf"))
    tell(memory, "Tennis, not golf.", stating(said_again, names=["Marta"], concepts=["tennis"]))


def denial(memory: Memory) -> None:
    tell(memory, "I do not live in Bilbao.", said("live in", "Bilbao", negated=True))


def contested(memory: Memory) -> None:
    tell(memory, "Actually Marta likes opera.", stating(
        ExtractedRelation("Marta", "likes", "opera", replaces=True), names=["Marta"], concepts=["opera"]
    ))  # fmt: skip


def coincidences(memory: Memory) -> None:
    tell(memory, "Marta, golf and snow.", stating(names=["Marta"], concepts=["golf", "snow"]))


def uptake(memory: Memory) -> None:
    taken = stating(uptake=[("Koldo", "has", "cat")], names=["Koldo"], concepts=["cat"])
    tell(memory, "Yes, exactly.", taken)


def remembered(memory: Memory) -> None:
    tell(memory, "Remember that Marta likes golf.", stating(
        ("Marta", "likes", "golf"), names=["Marta"], concepts=["golf"], remember=True
    ))  # fmt: skip


def possession(memory: Memory) -> None:
    tell(memory, "My boss is Koldo.", stating(("my boss", "is", "Koldo"), names=["Koldo"], concepts=["my boss"]))


def somebody_known_speaks(memory: Memory) -> None:
    tell(memory, "I like tea.", said("like", "tea", kind="concept"), speaker="Marta")


def longer_name(memory: Memory) -> None:
    tell(memory, "Marta Ruiz came.", stating(names=["Marta Ruiz"]))


def nothing_stated(memory: Memory) -> None:
    tell(memory, "Hello there.", Extraction())


def still_open(memory: Memory) -> None:
    memory.perceive("I live in Getxo.", speaker="Ana", at=NOON, extraction=said("live in", "Getxo", replaces=True))


def with_a_reply(memory: Memory) -> None:
    turn = memory.perceive("I like rain.", speaker="Ana", at=NOON, extraction=said("like", "rain", kind="concept"))
    turn.close("So do I.", at=NOON)


AFTER_A_REPLY: list[Callable[[Memory], None]] = [uptake, first_words, nothing_stated]
AFTER_A_FACT: list[Callable[[Memory], None]] = [
    repetition, correction, correction_by_name, correction_by_what_was_known, denial, contested,
    coincidences, remembered, possession, somebody_known_speaks, longer_name, still_open, with_a_reply,
]  # fmt: skip


def test_the_memory_is_as_it_was(memory: Memory) -> None:
    a_past(memory)
    for turn in AFTER_A_REPLY:
        there_and_back(memory, turn)
    tell(memory, "Marta likes tennis.", stating(("Marta", "likes", "tennis"), names=["Marta"], concepts=["tennis"]))
    for turn in AFTER_A_FACT:
        there_and_back(memory, turn)


def there_and_back(memory: Memory, turn: Callable[[Memory], None]) -> None:
    before = state(memory)
    turn(memory)
    assert state(memory) != before, turn.__name__
    memory.undo()
    assert state(memory) == before, turn.__name__
    assert dangling(memory) == [], turn.__name__


def test_what_was_said_again_is_as_sure_as_before(memory: Memory) -> None:
    tell(memory, "I think Marta likes chess.", stating(
        ExtractedRelation("Marta", "likes", "chess", confidence=0.6), names=["Marta"], concepts=["chess"]
    ))  # fmt: skip

    def surely(memory: Memory) -> None:
        tell(
            memory, "Marta does like chess.", stating(("Marta", "likes", "chess"), names=["Marta"], concepts=["chess"])
        )

    def less_surely(memory: Memory) -> None:
        tell(memory, "Chess, maybe?", stating(
            ExtractedRelation("Marta", "likes", "chess", confidence=0.3), names=["Marta"], concepts=["chess"]
        ))  # fmt: skip

    there_and_back(memory, surely)
    assert association(memory, "Marta", "chess")["confidence"] == pytest.approx(0.6)
    there_and_back(memory, less_surely)
    surely(memory)
    there_and_back(memory, less_surely)
    assert memory.facts("Marta")[0].confidence == 1.0


def test_everything_back_to_the_beginning(memory: Memory) -> None:
    empty = state(memory)
    a_past(memory)
    for turn in (repetition, correction, remembered, uptake):
        turn(memory)
    numbers = []
    while clock(memory):
        numbers.append(memory.undo().turn)
        assert dangling(memory) == []
    assert numbers == [8, 7, 6, 5, 4, 3, 2, 1]
    assert state(memory) == empty
    with pytest.raises(InputError, match="nothing to undo"):
        memory.undo()


def test_an_open_turn_gives_its_pulse_and_weight_back_exactly(memory: Memory) -> None:
    a_past(memory)
    weight, lit = association(memory, "Marta", "golf")["weight"], concepts(memory)
    memory.perceive("Marta likes golf.", speaker="Ana", at=NOON, extraction=stating(
        ("Marta", "likes", "golf"), names=["Marta"], concepts=["golf"]
    ))  # fmt: skip
    assert association(memory, "Marta", "golf")["weight"] > weight
    memory.undo()
    assert association(memory, "Marta", "golf")["weight"] == pytest.approx(weight, abs=1e-12)
    # What spread from the pulse stays where it went: both ends gave some away.
    after = concepts(memory)
    assert after["Marta"]["activation"] <= lit["Marta"]["activation"] + 1e-9
    assert all(concept["activation"] >= 0 for concept in after.values())


def test_what_a_list_of_provenance_dropped_comes_back(memory: Memory) -> None:
    for i in range(10):
        tell(memory, f"I live in Bilbao, I say, {i}.", said("live in", "Bilbao"))
    before = state(memory)
    repetition(memory)
    memory.undo()
    assert state(memory) == before
    (fact,) = associations(memory)
    assert len(fact["records"]) == 8


def test_what_it_says(memory: Memory) -> None:
    a_past(memory)
    correction(memory)
    planned = memory.undo(dry_run=True)
    assert (planned.turn, planned.records, planned.concepts, planned.associations, planned.restored) == (5, 1, 1, 1, 1)
    assert planned.texts == ("I live in Gernika now.",)
    assert clock(memory) == 5
    assert memory.undo() == planned
    assert ("Ana", "live in", "Bilbao") in current(memory)
    assert json.loads(json.dumps(planned.to_json()))["turn"] == 5


def test_the_same_id_can_be_said_again(memory: Memory) -> None:
    first = memory.perceive("I live in Bilbao.", speaker="Ana", id="a", at=NOON, extraction=said("live in", "Bilbao"))
    first.close()
    memory.undo()
    again = memory.perceive("I live in Getxo.", speaker="Ana", id="a", at=NOON, extraction=said("live in", "Getxo"))
    assert (again.number, again.opened.repeated) == (1, False)
    assert current(memory) == {("Ana", "live in", "Getxo")}


def test_a_concept_that_only_an_edit_holds_is_as_before(memory: Memory) -> None:
    a_past(memory)
    [fact] = [fact for fact in memory.facts("Marta", speaker="Ana") if fact.relation == "likes"]
    memory.edit_fact(fact.id, target="Gernika")
    before = state(memory)
    tell(memory, "Gernika.", stating(names=["Gernika"]))
    memory.undo()
    assert state(memory) == before


def test_the_window_forgets_what_was_taken_back(memory: Memory) -> None:
    a_past(memory)
    correction(memory)
    assert memory.window()[-1].text == "I live in Gernika now."
    memory.undo()
    assert memory.window()[-1].text == "Koldo has a cat, too."


@pytest.mark.parametrize("told_anew", [False, True])
def test_the_window_of_another_process_forgets_it_with_the_next_turn(memory: Memory, told_anew: bool) -> None:
    a_past(memory)
    correction(memory)
    other = Memory(memory.graph, memory.name, ("Ana",))
    other.undo()
    if told_anew:  # under the same number
        other.perceive("I like tea.", speaker="Ana", at=NOON, extraction=Extraction()).close()
    memory.perceive("Good evening.", speaker="Ana", at=NOON, extraction=Extraction())
    assert [u.text for u in memory.window()] == [u.text for u in memory.graph.memory(memory.name).window()]
    assert "I live in Gernika now." not in [u.text for u in memory.window()]


def test_not_beyond_a_sleep(memory: Memory) -> None:
    a_past(memory)
    memory.graph.store.schema("MATCH (m:Memory {name: $m}) SET m.slept_turn = 4", m=memory.name)
    with pytest.raises(InputError, match="turn 4 cannot be undone: the memory has slept since"):
        memory.undo()
    correction(memory)
    memory.undo()
    assert clock(memory) == 4


def test_not_beyond_a_sleep_that_was_interrupted(memory: Memory) -> None:
    a_past(memory)
    memory.graph.store.schema("CREATE (:Sleep {memory: $m, id: 'x', turn: 4, state: 'running'})", m=memory.name)
    with pytest.raises(InputError, match="has slept since"):
        memory.undo()


def test_not_while_somebody_consolidates(memory: Memory) -> None:
    a_past(memory)
    with leased(memory.graph.store, memory.name, "worker-7"), pytest.raises(BusyError, match="worker-7"):
        memory.undo()
    memory.undo()


def test_a_turn_whose_words_are_gone_stays(memory: Memory) -> None:
    tell(memory, "I live in Bilbao.", said("live in", "Bilbao"))
    assert memory.forget("Bilbao", speaker="Ana")
    assert records(memory) == []
    with pytest.raises(InputError, match="turn 1 cannot be undone: its words were forgotten"):
        memory.undo()


def test_a_person_spoken_to_is_a_protagonist_no_more(memory: Memory) -> None:
    a_past(memory)
    tell(memory, "I am Luis.", stating(("I", "like", "jazz"), concepts=["jazz"]), speaker="Luis")
    assert memory.protagonist == "User"
    memory.undo()
    assert memory.protagonist == "Ana"
