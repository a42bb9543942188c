"""A sleep from end to end: what each step does; that it is resumable, fenced, idempotent, and when it is due."""

from __future__ import annotations

import json
import math
import threading
from dataclasses import replace
from typing import Any

import pytest
from graph_state import EAGER as LIVELY
from graph_state import everything_of
from graph_view import association, associations, concepts, own_memory, records, rows, stating
from scripted_life import ScriptedLife

from oroi_graph import (
    BusyError,
    ConceptProfile,
    ExtractedRelation,
    Graph,
    Judge,
    LeaseLostError,
    Memory,
    ProviderError,
    Replaced,
    Sleep,
)
from oroi_graph.consolidation.pipeline import SleepReport, SleepRun, consolidate
from oroi_graph.model import Role
from oroi_graph.storage.lease import acquire, leased

EAGER = Sleep(prune_after=3, gist_after=3, rest_after=6, page=3, courtesy=0.0, took_hold=0.2)


def sleep(memory: Memory, numbers: Sleep = EAGER, **options: Any) -> SleepReport:
    """One sleep with other numbers."""
    graph, run = memory.graph, SleepRun(**options)
    return consolidate(graph.store, memory.name, graph.embedder, replace(graph.options, sleep=numbers), run)


def say(memory: Memory, text: str, *triples: Any, role: Role = "user", **flags: Any) -> None:
    turn = memory.perceive(text, speaker="Ana", role=role, extraction=stating(*triples, **flags))
    turn.close()


def idle(memory: Memory, turns: int) -> None:
    """As many turns pass as if nothing were said in them: the clock goes on, and what was lit goes dark."""
    memory.graph.store.schema(
        "MATCH (m:Memory {name: $memory}) SET m.turn = m.turn + $turns WITH m "
        "MATCH (c:Concept {memory: $memory}) SET c.activation = 0",
        memory=memory.name,
        turns=turns,
    )
    memory.refresh()


def runs(memory: Memory) -> list[dict[str, Any]]:
    return [row["s"] for row in rows(memory, "MATCH (s:Sleep {memory: $memory}) RETURN s {.*} AS s ORDER BY s.turn")]


def test_nothing_to_do_without_a_new_turn(memory: Memory) -> None:
    assert sleep(memory).state == "not due"
    say(memory, "I have a cat.", ("I", "have", "cat"))
    first = sleep(memory)
    assert (first.state, first.turn, first.since) == ("done", 1, 0)
    before = everything_of(memory.graph.store, memory.name, verbatim=True)
    again = sleep(memory)
    assert (again.state, again.turn) == ("not due", 1)
    assert _unleased(everything_of(memory.graph.store, memory.name, verbatim=True)) == _unleased(before)


def _unleased(lines: list[str]) -> list[str]:
    """Without what taking a lease changes by itself."""
    kept = []
    for line in lines:
        content = json.loads(line)
        content[-1].pop("lease_fence", None)
        kept.append(json.dumps(content, sort_keys=True))
    return kept


def test_strength_grows_with_exposure_and_decays_with_turns(memory: Memory) -> None:
    say(memory, "Remember my cat.", ("I", "have", "cat"))
    for _ in range(2):
        say(memory, "Hm.")
    before = concepts(memory)["cat"]
    numbers = Sleep()
    report = sleep(memory, numbers)
    after = concepts(memory)["cat"]
    gained = 1 - math.exp(-before["exposure"] / numbers.exposure)
    assert before["exposure"] > 0
    assert after["strength"] == pytest.approx(gained * numbers.decay**2, abs=1e-12)  # first said in turn 1 of 3
    assert after["exposure"] == 0
    assert after["activation"] == before["activation"]
    assert report.counts["transferred"] >= 1
    idle(memory, 1)
    rested = concepts(memory)["cat"]
    sleep(memory, numbers)
    gained = rested["strength"] + (1 - rested["strength"]) * (1 - math.exp(-rested["exposure"] / numbers.exposure))
    assert concepts(memory)["cat"]["strength"] == pytest.approx(gained * numbers.decay, abs=1e-12)


def test_what_is_fixed_does_not_decay(memory: Memory) -> None:
    say(memory, "Remember: the safe is blue.", ("safe", "is", "blue"), remember=True)
    strength = concepts(memory)["safe"]["strength"]
    idle(memory, 30)
    sleep(memory)
    assert concepts(memory)["safe"]["strength"] >= strength > 0.9


def test_coincidences_that_recur_become_associations_which_conduct_and_are_not_told(memory: Memory) -> None:
    for _ in range(3):
        say(memory, "Coffee and cake.", concepts=["coffee", "cake"])
    say(memory, "Coffee and tea.", concepts=["coffee", "tea"])
    assert not associations(memory)
    report = sleep(memory)
    assert report.counts["promoted"] == 1
    (made,) = associations(memory)
    assert {made["source"], made["target"]} == {"coffee", "cake"}
    assert made["count"] == 3
    assert len(made["records"]) == 3
    assert 0 < made["weight"] < 1
    assert made["implied"]
    assert made["consolidated"]


def test_trivia_fades_and_what_matters_stays(memory: Memory) -> None:
    say(memory, "I bought stamps at the kiosk.", ("I", "bought", "stamps"), ("kiosk", "sells", "stamps"))
    say(memory, "I live in Durango.", ("I", "lives in", "Durango"), names=["Durango"])
    say(memory, "Remember the code.", ("I", "has", "code"), remember=True)
    say(memory, "Only a comet.", concepts=["comet"])
    for _ in range(4):
        say(memory, "My guitar again.", ("I", "plays", "guitar"))
    idle(memory, 30)
    report = sleep(memory)
    left = concepts(memory)
    assert {"Durango", "code", "guitar", "Ana", "comet"} <= set(left), "fixed, lasting, strong, or a record's only link"
    assert "stamps" not in left
    assert "kiosk" not in left
    assert report.counts["pruned"] == 2
    assert report.counts["pruned_associations"] == 2
    for record in records(memory):
        for id in record["associations"]:
            assert id in {a["id"] for a in associations(memory)}


def test_what_was_replaced_does_not_speak_again(memory: Memory) -> None:
    """Without the fact that was replaced, nothing would tell that the record which stated it is out of date."""
    say(memory, "My plumber is Iker.", ("I", "hires", "Iker"), names=["Iker"])
    said = ExtractedRelation("I", "hires", "Naia", replaces=Replaced("hires", "Iker"))
    say(memory, "I hire Naia now, not Iker.", said, names=["Naia"])
    idle(memory, 40)
    sleep(memory)
    assert {"Iker", "Naia"} <= set(concepts(memory))
    brief = memory.recall("Whom do I hire as a plumber?", speaker="Ana").brief.text
    assert "Naia" in brief
    assert "My plumber is Iker" not in brief


def test_an_episode_of_which_nothing_is_left_rests_whatever_else_it_mentions(memory: Memory) -> None:
    for _ in range(4):
        say(memory, "My guitar again.", ("I", "plays", "guitar"))
    say(memory, "A moth sat on my guitar.", ("moth", "sat on", "guitar"))
    idle(memory, 30)
    sleep(memory)
    assert "moth" not in concepts(memory)
    assert {r["text"]: r.get("resting") for r in records(memory)} == {"My guitar again.": None, "": True}
    assert memory.episode(records(memory)[-1]["id"]).verbatim == "A moth sat on my guitar."


def test_two_concepts_of_one_record_do_not_both_go(memory: Memory) -> None:
    say(memory, "Comet and meteor.", concepts=["comet", "meteor"])
    idle(memory, 30)
    assert sleep(memory).counts["pruned"] == 1
    assert len({"comet", "meteor"} & set(concepts(memory))) == 1


def test_an_interrupted_sleep_goes_on_where_it_was(graph: Graph) -> None:
    """Stopped after every single transaction, again and again: the same end as one that was left alone."""
    with own_memory(graph) as left_alone, own_memory(graph) as interrupted:
        for memory in (left_alone, interrupted):
            _life(memory)
        sleep(left_alone)
        state, calls = "interrupted", 0
        while state == "interrupted":
            state = sleep(interrupted, stop=_After(calls)).state
            calls += 1
            assert calls < 50
        assert calls > 4
        assert _content(interrupted) == _content(left_alone)
        assert [run["state"] for run in runs(interrupted)] == ["done"]
        assert runs(interrupted)[0]["attempts"] == calls


class _After(threading.Event):
    """An event that is set once so many transactions looked at it."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def _life(memory: Memory) -> None:
    for number in range(12):
        say(
            memory,
            f"Coffee {number}.",
            ("I", "drinks", "coffee"),
            concepts=["cake", f"thing of {'abcdefghijkl'[number]}"],
        )
    say(memory, "Stamps.", ("I", "bought", "stamps"))
    idle(memory, 12)


def _content(memory: Memory) -> list[Any]:
    """Labels and numbers, without ids, which depend on the memory's name."""
    found: list[Any] = [
        [label, c["strength"], c["exposure"], c["activation"], c.get("slept"), c["mentions"]]
        for label, c in concepts(memory).items()
    ]
    found += [
        [*sorted((a["source"], a["target"])), a["relation"], a["weight"], a["count"]] for a in associations(memory)
    ]
    found += [[r["turn"], r["role"], r["text"], r.get("resting")] for r in records(memory)]
    return sorted(found, key=str)


def test_a_fenced_out_sleep_commits_nothing_more(memory: Memory) -> None:
    _life(memory)
    lease = acquire(memory.graph.store, memory.name, "first", seconds=0.05)
    threading.Event().wait(0.2)
    with leased(memory.graph.store, memory.name, "second"):
        before = everything_of(memory.graph.store, memory.name, verbatim=True)
        with pytest.raises(LeaseLostError):
            lease.write_rows("consolidation/end_sleep", memory=memory.name, turn=1, report="", failure=None)
        assert everything_of(memory.graph.store, memory.name, verbatim=True) == before
        with pytest.raises(BusyError, match="is being consolidated by second"):
            sleep(memory)
    assert sleep(memory).state == "done"


class Broken:
    """A judge whose service is down."""

    name = "broken"

    def judge(self, pairs: Any) -> Any:
        raise ProviderError("the service is down: try again later")


def test_a_judge_that_fails_destroys_nothing_and_its_step_is_repeated(memory: Memory) -> None:
    assert isinstance(Broken(), Judge)
    say(memory, "I met Ana Ruiz.", ("I", "met", "Ana Ruiz"), names=["Ana Ruiz"])
    say(memory, "Ruiz called.", ("Ruiz", "called", "office"), names=["Ruiz"])
    report = sleep(memory, judge=Broken())
    assert report.state == "failed"
    assert report.failures == {"merge": "the service is down: try again later"}
    assert {"Ana Ruiz", "Ruiz"} <= set(concepts(memory))
    strength = concepts(memory)["office"]["strength"]
    asked: list[tuple[ConceptProfile, ConceptProfile]] = []

    class Willing(Broken):
        name = "willing"

        def judge(self, pairs: Any) -> Any:
            asked.extend(pairs)
            return ["same"] * len(pairs)

    report = sleep(memory, judge=Willing())
    assert report.state == "done", "the memory stayed due"
    assert concepts(memory)["office"]["strength"] == strength, "nothing was applied twice"
    assert report.counts["merged"] == 1
    (pair,) = asked
    assert {pair[0].label, pair[1].label} == {"Ana Ruiz", "Ruiz"}
    assert pair[0].facts
    assert [run["state"] for run in runs(memory)] == ["done"]
    (merge,) = memory.merges()
    assert merge.by == "willing"
    assert association(memory, "Ana", merge.survivor)


def test_a_dry_run_promises_what_the_sleep_does(graph: Graph) -> None:
    """Merges, promotions, prunings, gists and rests of two lives; steps change what later steps find."""
    kinds: set[str] = set()
    for seed in range(2):
        with own_memory(graph) as memory:
            life = ScriptedLife(memory, seed, 36)
            for number in range(36):
                life.take(number)
                if number % 12 == 11:
                    before = everything_of(graph.store, memory.name, verbatim=True)
                    promised = sleep(memory, LIVELY, dry_run=True)
                    assert everything_of(graph.store, memory.name, verbatim=True) == before
                    done = sleep(memory, LIVELY)
                    assert promised.state == ("dry run" if done.state == "done" else done.state)
                    assert promised.counts == done.counts
                    assert (promised.before, promised.after) == (done.before, done.after)
                    kinds |= done.counts.keys()
    assert kinds >= {"pruned", "rested", "elaborated", "promoted"}, kinds


def test_a_dry_run_asks_no_model(memory: Memory) -> None:
    _life(memory)

    class Forbidden:
        name = "forbidden"

        def judge(self, pairs: object) -> list[str]:
            raise AssertionError("a dry run asked the judge")

        def summarize(self, episode: object, most: int) -> str:
            raise AssertionError("a dry run asked the summarizer")

    model: Any = Forbidden()
    assert sleep(memory, dry_run=True, judge=model, summarizer=model).state == "dry run"


def test_turns_go_on_while_a_memory_sleeps(memory: Memory) -> None:
    _life(memory)
    before = memory.stats().turns
    errors: list[BaseException] = []

    def night() -> None:
        try:
            sleep(memory, replace(EAGER, page=1))
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=night)
    worker.start()
    for number in range(10):
        turn = memory.perceive(f"Coffee again {number}.", speaker="Ana", extraction=stating(("I", "drinks", "coffee")))
        assert turn.recall is not None
        turn.close("Fine.", injected=turn.brief)
    worker.join()
    assert not errors
    assert memory.stats().turns == before + 10
