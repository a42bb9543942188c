"""Selection: what enters a brief for what reason, on small networks without a database, and on real memories."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from evocations import NOWHERE, evoked, network
from graph_view import NOON, concepts, stating, tell
from tables import table

from oroi_graph import ExtractedRelation, Extraction, Fact, Memory, OfflineExtractor, Options, RecordHit
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.graph.evidence import Evidence, gather
from oroi_graph.recall.graph.search import Affinity, Evocation, evoke
from oroi_graph.recall.question import read_question
from oroi_graph.recall.selection import Chosen, Selector
from oroi_graph.recall_options import Selection
from oroi_graph.working_set.candidates import Candidate

READER = OfflineExtractor()
EMPTY = Extraction()
UNDECIDED = Evidence({}, (), 0.0, False, False)
FEW = replace(UNDECIDED, few=True)


def hit(id: str, text: str, turn: int = 1, near: float = 0.5, **more: object) -> RecordHit:
    """A record; near: how much it is like the question."""
    given = {"role": "user", "speaker": "Ana", "session": "1", "score": 0.0} | more
    numbers = {"meaning": near, "interaction": near}
    return RecordHit(id=id, turn_id=id, turn=turn, at=None, text=text, features=numbers, **given)  # type: ignore[arg-type]


def fact(id: str, target: str, **more: object) -> Fact:
    given = {"current": True, "contested": False, "first_turn": 1, "last_turn": 1, "records": ("r",)} | more
    return Fact(
        id=id, source="Marta", relation="works at", target=target, weight=1.0, negated=False, when=None, stated_at=None,
        source_id="Marta", target_id=target, **given,
    )  # type: ignore[arg-type]  # fmt: skip


def choose(
    question: str,
    records: Sequence[tuple[RecordHit, float]],
    facts: Sequence[Fact] = (),
    evidence: Evidence = UNDECIDED,
    superseded: Collection[str] = (),
    *,
    mentioned: dict[str, tuple[str, ...]] | None = None,
    evocation: Evocation = NOWHERE,
    several: bool = False,
    silent: float = 0.0,
    options: Selection | None = None,
) -> Chosen:
    """What enters of records with their probabilities; mentioned: the concepts of some records."""
    said = [record for record, _ in records]
    known = {
        r.id: Candidate(
            r.id, r.turn_id, r.turn, r.role, r.speaker, r.session, r.at, r.text, False,
            (mentioned or {}).get(r.id, ()),
        )
        for r in said
    }  # fmt: skip
    read = read_question(question, "Ana", None, READER)
    probability = {record.id: p for record, p in records}
    selector = Selector(read, evocation, evidence, probability, options or Selection(), several, silent)
    return selector.choose(facts, said, known, frozenset(superseded))


def texts(chosen: Chosen) -> list[str]:
    return [record.text for record in chosen.records]


# --- facts -------------------------------------------------------------------------------------------------------


def test_few_answers_show_their_sure_facts_and_many_show_none() -> None:
    sure, unsure = fact("a", "Iberdata", confidence=0.75), fact("b", "Orbea", confidence=0.74)
    assert choose("Where does Marta work?", [], [sure, unsure], FEW).facts == (sure,)
    assert choose("Where does Marta work?", [], [sure, unsure], UNDECIDED).facts == ()


def test_where_nothing_is_decided_facts_are_told_only_if_what_states_one_of_them_is_likely() -> None:
    """Of a chain the end alone may be likely. Nothing is known of facts that no ranked record states."""
    orbea, iberdata = fact("a", "Orbea", records=("r",)), fact("b", "Iberdata", records=("s",))

    def told(likely: float, *facts: Fact) -> tuple[Fact, ...]:
        said = [(hit("r", "It is Orbea."), likely), (hit("s", "Marta."), 0.01), (hit("x", "It rained."), 0.99 - likely)]
        return choose("Where does Marta work?", said, facts, FEW).facts

    assert told(0.04, orbea, iberdata) == (orbea, iberdata)
    assert told(0.03, orbea, iberdata) == ()
    assert told(0.03, replace(orbea, records=())) == (replace(orbea, records=()),)
    assert told(0.03, replace(orbea, records=("gone",))) == (replace(orbea, records=("gone",)),)


@pytest.mark.parametrize(
    ("confidence", "likely", "brought"),
    [(1.0, 0.49, False), (1.0, 0.5, True), (0.74, 0.5, False), (0.74, 0.79, False), (0.74, 0.8, True)],
)
@pytest.mark.parametrize("agreeing", [{}, {"converged": True}, {"chained": True}])
def test_a_fact_that_is_too_unsure_to_be_shown_needs_a_likelier_record_to_bring_it(
    confidence: float, likely: float, brought: bool, agreeing: dict[str, bool]
) -> None:
    """Else the likeliest records enter, whatever the paths say. Of one that is shown, steps that agree are enough."""
    evidence = replace(FEW, decides=True, support={"Marta": 1.0, "Orbea": 1.0}, share=0.5, **agreeing)
    brought |= bool(agreeing) and confidence == 1.0
    rest = (1 - likely) / 20
    said = [(hit("r", "marta orbea works i guess"), likely), *[(hit(str(i), "It rained."), rest) for i in range(20)]]
    found = choose(
        "Where does Marta work?", said, [fact("a", "Orbea", confidence=confidence)], evidence,
        mentioned={"r": ("Marta", "Orbea")}, evocation=evoked(*concept("Marta").cues, *concept("Orbea").cues),
    )  # fmt: skip
    assert (found.rules.get("r") == "mentions what the paths lead to") is brought
    assert bool(found.facts) is (confidence == 1.0)


def test_evidence_that_supports_no_record_and_no_fact_leaves_the_brief_to_the_likeliest() -> None:
    rain = hit("x", "It rained.")
    evidence = replace(FEW, decides=True, support={"Orbea": 1.0}, share=0.5)
    found = choose("Where does Marta work?", [(rain, 0.01)], evidence=evidence, options=Selection(decided_untold=0.0))
    assert found.records == (rain,)
    assert found.rules == {"x": "among the likeliest"}


def concept(label: str) -> Evocation:
    """An evocation of one named concept that the question names."""
    cue = Cue(label, label, label, "name", "exact", 1.0)
    return evoked(cue)


# --- few, and what decides ---------------------------------------------------------------------------------------


def found_in(question: str, cues: Sequence[str], triples: Sequence[tuple[str, str, str, float]]) -> Evidence:
    """The evidence among (source, relation, target, confidence)."""
    around = network([(a, relation, b) for a, relation, b, _ in triples], sure=[sure for *_, sure in triples])
    entrances = [Cue(label, label, label, "concept", "exact", 1.0) for label in cues]
    read = read_question(question, "Ana", None, READER)
    return gather(evoke(entrances, read, around, Affinity({}, {}), Options()), Options())


@pytest.mark.parametrize(("confidence", "decides"), [(1.0, True), (0.6, True), (0.59, False)])
def test_only_what_was_surely_stated_decides(confidence: float, decides: bool) -> None:
    found = found_in("Where does Marta work?", ["Marta"], [("Marta", "works at", "Iberdata", confidence)])
    assert "Iberdata" in found.support, "it is an answer all the same"
    assert (found.few, found.decides, found.converged) == (True, decides, False)


def test_one_unsure_step_makes_a_path_unsure() -> None:
    way = [("Marta", "works at", "Iberdata"), ("Iberdata", "is based in", "Bilbao")]
    question = "In which city is Marta's employer based, and who works there?"
    sure = found_in(question, ["Marta", "Bilbao"], [(*step, 1.0) for step in way])
    weak = found_in(question, ["Marta", "Bilbao"], [(*way[0], 0.3), (*way[1], 1.0)])
    assert sure.converged
    assert not weak.converged


@pytest.mark.parametrize(("count", "few"), [(8, True), (9, False)])
def test_more_answers_than_that_decide_nothing(count: int, few: bool) -> None:
    found = found_in("What does Marta play?", ["Marta"], [("Marta", "plays", f"game {i}", 1.0) for i in range(count)])
    assert len(found.support.keys() - {"Marta"}) == count
    assert (found.few, found.decides) == (few, few)


def test_what_says_nothing_of_the_question_decides_nothing() -> None:
    found = found_in("Where does Marta work?", ["Marta"], [("Marta", "adores", "jazz", 1.0)])
    assert not found.decides


# --- records where the evidence decides --------------------------------------------------------------------------

WHERE = "Where does Marta work?"
DECIDED = replace(FEW, decides=True, support={"Iberdata": 1.0, "Marta": 0.5}, share=0.5)
AT_WORK = hit("a", "Marta works at Iberdata.", 1)
ELSEWHERE = hit("b", "Marta sails on Sundays.", 2)
ABOUT = {"a": ("Marta", "Iberdata"), "b": ("Sundays",)}


def decided(*records: tuple[RecordHit, float], evidence: Evidence = DECIDED, **more: object) -> list[str]:
    given = {"mentioned": ABOUT, "evocation": concept("Marta")} | more
    facts = [fact("works", "Iberdata")]
    return [r.id for r in choose(WHERE, records, facts, evidence, **given).records]  # type: ignore[arg-type]


def test_records_that_mention_the_evidence_enter_and_others_that_are_not_likely_do_not() -> None:
    rest = [(hit(f"r{i}", "It rained."), 0.01) for i in range(20)]
    assert decided((AT_WORK, 0.8), (ELSEWHERE, 0.039), *rest) == ["a"]
    assert decided((AT_WORK, 0.6), (ELSEWHERE, 0.2), *rest) == ["a", "b"]


def test_what_mentions_nothing_of_the_evidence_does_not_enter_for_it() -> None:
    """Even if no relevant record mentions any of it: what Bob does is no answer to somebody else's "I"."""
    me = evoked(Cue("I", "Marta", "Marta", "self", "exact", 1.0))
    likely = hit("c", "I work at Orbea.", 2, speaker="Bob")
    records = [(replace(AT_WORK, speaker="Marta"), 0.03), (likely, 0.9)]
    found = choose("Where do I work?", records, [fact("works", "Iberdata")], DECIDED, mentioned=ABOUT, evocation=me)
    assert found.records == ()
    assert found.left_out["c"] == "mentions another answer, or somebody else said it"


def test_a_record_that_is_very_likely_needs_no_evidence() -> None:
    assert decided((AT_WORK, 0.4), (ELSEWHERE, 0.3)) == ["a", "b"]


def test_what_names_nothing_that_the_question_names_must_be_likelier_than_what_the_paths_lead_to() -> None:
    """ "Where does Marta work?" is not answered by where Jon works."""
    jon = hit("c", "Jon works at Orbea.", 2)
    assert decided((AT_WORK, 0.55), (jon, 0.3)) == ["a"]
    assert decided((AT_WORK, 0.5), (jon, 0.6)) == ["a", "c"]
    class_ = evoked(Cue("the class", "class", "class", "concept", "exact", 1.0))
    later = hit("c", "It moved to Thursdays.", 2)
    assert decided((AT_WORK, 0.55), (later, 0.2), evocation=class_) == ["a", "c"], "no proper name is missing"
    assert decided((AT_WORK, 0.55), (later, 0.19), evocation=class_) == ["a"]


def test_where_nothing_is_surely_named_any_record_may_be_about_it() -> None:
    guessed = evoked(Cue("", "Marta", "Marta", "name", "recognition", 1.0))
    jon = hit("c", "She works at Orbea.", 2)
    assert decided((AT_WORK, 0.4), (jon, 0.3), evocation=guessed) == ["a", "c"]


def test_what_names_a_distractor_needs_it() -> None:
    evidence = replace(DECIDED, distractors=frozenset({"Sundays"}))
    assert decided((AT_WORK, 0.6), (ELSEWHERE, 0.3), evidence=evidence) == ["a"]


def test_of_whom_the_question_names_only_their_own_words_need_no_evidence() -> None:
    ana = Cue("I", "Ana", "Ana", "self", "exact", 1.0)
    named = replace(concept("Marta"), cues=(*concept("Marta").cues, ana))
    records = [(AT_WORK, 0.4), (ELSEWHERE, 0.3), (replace(ELSEWHERE, id="c", speaker="Bob"), 0.3)]
    assert decided(*records, mentioned=ABOUT | {"c": ("Sundays",)}, evocation=named) == ["a", "b"]


def test_one_of_several_questions_keeps_its_most_likely_records() -> None:
    evidence = replace(DECIDED, chained=True)
    records = [(AT_WORK, 0.6), (ELSEWHERE, 0.15), (hit("c", "It rained."), 0.05)]
    assert decided(*records, evidence=evidence) == ["a"]
    assert decided(*records, evidence=evidence, several=True) == ["a", "b"]


@table(
    ("agreed_on", "alone"),
    [({}, False), ({"chained": True}, True), ({"converged": True, "adjacent": frozenset({"Iberdata"})}, True)],
)
def test_the_likeliest_come_with_what_one_step_decides(agreed_on: dict[str, object], alone: bool) -> None:
    """Unless steps agree, or cues do; what is hardly likely does not come."""
    evidence = replace(DECIDED, **agreed_on)  # type: ignore[arg-type]
    beside = [(hit(f"n{i}", f"Marta wrote letter {i}."), p) for i, p in enumerate((0.15, 0.04, 0.039))]
    rest = [(hit(f"r{i}", "It rained."), 0.001) for i in range(20)]
    found = decided((AT_WORK, 0.5), *beside, *rest, evidence=evidence)
    assert found == (["a"] if alone else ["a", "n0", "n1"])


def test_of_the_likeliest_only_those_come_with_it_that_may_answer() -> None:
    """What Bob says of his boss is nothing about mine."""
    mine = evoked(Cue("my boss", "boss of Ana", "boss of Ana", "concept", "exact", 1.0))
    asked = "Who is my boss?"
    told = replace(hit("a", "My boss is Ines.", 1), speaker="Ana")
    other = hit("c", "My boss is Peter.", 2, speaker="Bob")
    evidence = replace(DECIDED, support={"Ines": 1.0, "boss of Ana": 0.5})
    given = {"mentioned": {"a": ("Ines", "boss of Ana"), "c": ("Peter",)}, "evocation": mine}
    records = [(told, 0.6), (other, 0.2)]
    found = choose(asked, records, [fact("is", "Ines")], evidence, **given)  # type: ignore[arg-type]
    assert [one.id for one in found.records] == ["a"]
    assert found.left_out["c"] == "mentions too little of what the paths lead to"


# --- records where it does not -----------------------------------------------------------------------------------


def test_the_most_likely_enter_until_they_hold_enough() -> None:
    records = [(hit(str(i), f"Sentence number {i}."), p) for i, p in enumerate([0.02, 0.49, 0.01, 0.475, 0.005])]
    assert texts(choose("Who?", records)) == ["Sentence number 1.", "Sentence number 3."]


def test_a_likely_record_beyond_enough_enters_too() -> None:
    records = [(hit("a", "One."), 0.97), (hit("b", "Two."), 0.04), (hit("c", "Three."), 0.039)]
    assert texts(choose("Who?", records)) == ["One.", "Two."]


def test_a_record_is_not_quoted_only_to_fill_up_what_is_missing() -> None:
    """The first holds nearly enough; the next is less than two hundredths as likely."""
    records = [(hit("a", "One."), 0.8), (hit("b", "Two."), 0.0155), (hit("c", "Three."), 0.0150)]
    assert texts(choose("Who?", records)) == ["One."]
    assert texts(choose("Who?", [(records[0][0], 0.77), *records[1:]])) == ["One.", "Two."]


def test_what_speaks_of_one_of_many_alike_is_not_quoted() -> None:
    evidence = replace(UNDECIDED, support={"Marta": 1.0, "Iberdata": 0.5}, crowd=frozenset({"Leire", "Iker"}))
    evidence = replace(evidence, distractors=evidence.crowd)
    said = [("a", "Iberdata is in Bilbao."), ("b", "Iberdata knows Leire."), ("c", "Marta met Iker there.")]
    records = [(hit(id, text), p) for (id, text), p in zip(said, (0.3, 0.3, 0.3), strict=True)]
    mentioned = {"a": ("Iberdata",), "b": ("Iberdata", "Leire"), "c": ("Marta", "Iker")}
    given = {"mentioned": mentioned, "evocation": concept("Marta")}
    found = choose("Where is the firm?", records, evidence=evidence, **given)  # type: ignore[arg-type]
    assert [record.id for record in found.records] == ["a", "c"], "what names whom the question names may answer"
    assert found.left_out == {"b": "speaks of one of many alike"}


def test_where_none_is_near_to_the_question_all_are_silent() -> None:
    far = [(hit("a", "One.", near=0.19), 0.9), (hit("b", "Two.", near=-0.1), 0.1)]
    assert texts(choose("Who?", far)) == []
    near = [(hit("a", "One.", near=0.19), 0.9), (hit("b", "Two.", near=0.20), 0.1)]
    assert texts(choose("Who?", near)) == ["One.", "Two."], "one that is near is enough"


@pytest.mark.parametrize(("others", "speaks"), [(9, True), (8, False)])
def test_a_record_that_stands_out_in_the_ranking_is_near_enough(others: int, speaks: bool) -> None:
    """Its score lies 3.0 standard deviations above the mean; of one record less no score can lie so far."""
    found = hit("a", "One.", near=0.1)
    rest = [(hit(f"r{i}", "It rained.", near=0.1), 0.001) for i in range(others)]
    assert texts(choose("Who?", [(replace(found, score=1.0), 0.9), *rest])) == (["One."] if speaks else [])
    assert texts(choose("Who?", [(found, 0.9), *rest])) == []


def test_words_may_be_near_where_meaning_is_not() -> None:
    record = hit("a", "One.")
    by_words = replace(record, features={"meaning": 0.1, "interaction": 0.35})
    assert texts(choose("Who?", [(by_words, 1.0)])) == ["One."]
    assert texts(choose("Who?", [(replace(record, features={"meaning": 0.1, "interaction": 0.34}), 1.0)])) == []


def test_replaced_records_enter_only_for_the_past() -> None:
    records = [(hit("old", "I live in Bilbao."), 0.5), (hit("new", "I live in Irun."), 0.5)]
    assert texts(choose("Where do I live?", records, superseded=["old"])) == ["I live in Irun."]
    assert texts(choose("Where did I live before?", records, superseded=["old"])) == ["I live in Bilbao."]
    assert len(choose("Where did I live before?", records).records) == 2, "nothing was replaced"


# --- questions are no answers ------------------------------------------------------------------------------------


@table(
    ("asked", "said", "enters"),
    [
        ("What is my dog called?", "What is my dog called?", False),
        ("What is my dog called?", "And what is my dog called?", False),
        ("What is my dog called?", "Is my dog called?", False),
        ("What is my dog called?", "Did I tell you that my dog ate the whole sausage in the kitchen?", True),
        ("What is my dog called?", "How is the weather?", False),
        ("What is my dog called?", "My dog Rex ate a whole sausage yesterday. Where is he?", True),
        ("What is my dog called?", "My dog is called Rex.", True),
        ("What is my dog called?", "What a dog my Rex is!", True),
        ("¿Cómo se llama mi perro?", "¿Cómo se llama mi perro?", False),
        ("¿Cómo se llama mi perro?", "¿De quién es el perro?", False),
        ("¿Cómo se llama mi perro?", "¿Te conté que mi perro se comió la salchicha?", True),
        ("Como se chama o meu cão?", "Onde está o meu cão?", False),
    ],
)
def test_what_only_asks_answers_nothing(asked: str, said: str, enters: bool) -> None:
    assert bool(choose(asked, [(hit("a", said), 1.0)]).records) is enters


# --- the question before a short answer --------------------------------------------------------------------------

OFFER = hit("q", "Do you want the yellow kayak?", 1, role="assistant", speaker="Assistant")
YES = hit("y", "Yes, that one.", 2)


def context(*records: tuple[RecordHit, float]) -> list[str]:
    return [r.id for r in choose("Which kayak did I take?", records).records]


def test_the_question_before_a_short_answer_comes_along() -> None:
    assert context((YES, 0.95), (OFFER, 0.01)) == ["y", "q"]


@table(
    ("offer", "answer"),
    [
        (OFFER, replace(YES, text="Yes, that big yellow kayak.")),
        (replace(OFFER, text="The yellow kayak is here."), YES),
        (replace(OFFER, session="0"), YES),
        (OFFER, replace(YES, turn=3)),
        (replace(OFFER, turn=3), YES),
    ],
)
def test_what_was_not_asked_before_or_needs_no_question_stays_alone(offer: RecordHit, answer: RecordHit) -> None:
    assert context((answer, 0.95), (offer, 0.01)) == ["y"]


def test_a_question_comes_once_even_if_it_enters_by_itself() -> None:
    assert sorted(context((YES, 0.5), (OFFER, 0.5))) == ["q", "y"]


# --- in a real memory --------------------------------------------------------------------------------------------


def conversation(memory: Memory, *said: tuple[str, str]) -> None:
    """Each day Ana asks or says something, and Bob says something to it."""
    for i, (text, reply) in enumerate(said):
        memory.perceive(text, speaker="Ana", at=NOON + timedelta(days=i), extraction=EMPTY).close()
        memory.perceive(reply, speaker="Bob", at=NOON + timedelta(days=i), extraction=EMPTY).close()


def test_a_short_answer_is_quoted_with_its_question(memory: Memory) -> None:
    question = "What shall we take to the lake?"
    conversation(memory, (question, "The kayak!"), ("We had pancakes.", "Nice."), ("It rained.", "Oh."))
    text = memory.recall("Do we have a kayak?", speaker="Ana").brief.text
    assert "The kayak!" in text
    assert question in text


def test_a_short_answer_to_a_question_that_is_near_is_not_silent(memory: Memory) -> None:
    question = "Which kayak will you take to the lake?"
    conversation(memory, (question, "The yellow one!"), ("We had pancakes.", "Nice."), ("It rained.", "Oh."))
    assert "The yellow one!" in memory.recall("Which kayak did Bob take?", speaker="Ana").brief.text


def test_what_tells_the_answer_and_then_asks_is_an_answer(memory: Memory) -> None:
    tell(memory, "My dog is called Rex. Do you like him?", EMPTY)
    assert "Rex" in memory.recall("What is my dog called?", speaker="Ana").brief.text


def test_what_is_asked_again_brings_the_answer_and_not_the_question(memory: Memory) -> None:
    question = "What is my dog called?"
    memory.perceive("My dog is called Rex", speaker="Ana", session="1").close()
    known = set(concepts(memory))
    first = memory.perceive(question, speaker="Ana", session="2")
    first.close()
    again = memory.perceive(question, speaker="Ana", session="3")
    for turn in (first, again):
        assert "Rex" in turn.brief.text
        assert question not in turn.brief.text
    assert set(concepts(memory)) == known


def test_the_record_of_an_unsure_fact_is_there_for_a_chain_of_two(memory: Memory) -> None:
    """What is unsure decides nothing, so the most likely words are quoted and nothing is claimed."""
    unsure = ExtractedRelation("Marta", "works at", "Iberdata", confidence=0.4)
    tell(memory, "Marta works I think at Iberdata", stating(unsure, names=["Marta", "Iberdata"]))
    based = ("Iberdata", "is based in", "Bilbao")
    tell(memory, "Iberdata is based in Bilbao.", stating(based, names=["Iberdata", "Bilbao"]))
    text = memory.recall("In which city is the company that Marta works at?", speaker="Ana").brief.text
    assert "Marta works I think at Iberdata" in text
    assert not any("Marta works at" in line for line in text.splitlines())


def test_what_misleads_rather_than_helps_stays_out_unless_it_is_the_likeliest() -> None:
    said = [
        (hit("new", "I rent in Vigo now."), 0.6), (hit("old", "I live in Lugo."), 0.3), (hit("far", "It rains."), 0.1),
    ]  # fmt: skip

    def chosen(misleading: dict[str, float], share: float = 0.5, **options: float) -> Chosen:
        read = [(replace(r, features={**r.features, "misleading": misleading.get(r.id, 0.0)}), p) for r, p in said]
        return choose("Where do I live?", read, options=Selection(misleading=share, faint=0.0, **options))

    assert [record.id for record in chosen({"old": 0.6}).records] == ["new", "old", "far"]
    assert [record.id for record in chosen({"new": 1.0}, share=0.7).records] == ["new", "old", "far"]
    found = chosen({"old": 0.61, "new": 1.0})
    assert [record.id for record in found.records] == ["new", "far"]
    assert found.left_out["old"] == "likelier to mislead than to help"
    assert [record.id for record in chosen({"old": 0.61}, relevant=0.1).records] == ["new", "far"]


def test_nothing_is_quoted_where_the_network_says_that_nothing_answers() -> None:
    said = [(hit("a", "I rent in Vigo."), 0.7), (hit("b", "Remember to ask the landlord."), 0.3)]
    some = Selection(silent=0.8)
    for question in ("What is my favourite colour?", "What did I want to remember?"):
        quoted = choose(question, said, silent=0.79, options=some)
        assert quoted.records
        none = choose(question, said, silent=0.8, options=some)
        assert (none.records, none.reminders.records) == ((), ())
        assert set(none.left_out.values()) == {"nothing that was said answers the question"}


def test_where_nothing_answers_and_nothing_is_decided_no_fact_is_told() -> None:
    orbea = fact("a", "Orbea")
    for silent, told in ((0.79, (orbea,)), (0.8, ())):
        found = choose(
            "What is my colour?", [(hit("r", "Marta is at Orbea."), 1.0)], [orbea], FEW, silent=silent,
            options=Selection(silent=0.8),
        )  # fmt: skip
        assert found.facts == told


@pytest.mark.parametrize("agreeing", [{}, {"converged": True}, {"chained": True}])
@table(
    ("silent", "least", "quoted"),
    [(0.89, 0.9, True), (0.9, 0.9, False), (1.0, 1.1, True)],
)
def test_what_the_evidence_decides_for_is_quoted_unless_it_is_all_but_certain_that_nothing_answers(
    agreeing: dict[str, bool], silent: float, least: float, quoted: bool
) -> None:
    likely, far = hit("r", "Marta is at Orbea."), hit("x", "It rained.")
    evidence = replace(FEW, decides=True, support={"Marta": 1.0, "Orbea": 1.0}, share=0.5, **agreeing)
    found = choose(
        "Where does Marta work?", [(likely, 0.9), (far, 0.1)], [fact("a", "Orbea", confidence=1.0)], evidence,
        mentioned={"r": ("Marta", "Orbea")}, evocation=evoked(*concept("Marta").cues, *concept("Orbea").cues),
        silent=silent, options=Selection(surely_silent=least),
    )  # fmt: skip
    assert (found.records, len(found.facts)) == (((likely,), 1) if quoted else ((), 0))
