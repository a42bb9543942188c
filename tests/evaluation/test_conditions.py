"""Each condition on one authored memory: what it finds, what it cannot find, what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from oroi_graph.errors import InputError
from oroi_graph.evaluation.baselines.conditions import CONDITIONS, MOST, WINDOW, Answer, Baseline, chosen
from oroi_graph.evaluation.baselines.lexical import Words
from oroi_graph.evaluation.baselines.memory import EvaluationMemory, world_of
from oroi_graph.evaluation.datasets.dataset import Case, Question
from oroi_graph.language.quoting import CLOSING, OPENING
from oroi_graph.language.tokens import count_tokens
from oroi_graph.memory import Graph
from oroi_graph.model import ExtractedConcept, ExtractedRelation, Extraction, TurnInput
from oroi_graph.transfer.conversation_file import Scripted

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SAID: tuple[tuple[str, str, tuple[tuple[str, str, str], ...]], ...] = (
    ("1", "My colleague Maren plays the oboe.", (("Maren", "plays", "oboe"),)),
    ("1", "Maren sits beside Teo in the office.", (("Maren", "sits beside", "Teo"),)),
    ("1", "The password of the printer is zyx-44.", (("printer", "has password", "zyx-44"),)),
    ("2", "Teo repairs clocks.", (("Teo", "repairs", "clocks"),)),
    ("2", "It rained all day.", ()),
    ("2", "I bought bread and cheese.", (("I", "bought", "bread"), ("I", "bought", "cheese"))),
    ("2", "The train to Burgos was late.", (("train", "goes to", "Burgos"),)),
    ("3", "The bakery has a new oven.", (("bakery", "has", "oven"),)),
    ("3", "The oven is hot, the bread is good.", (("oven", "is", "hot"), ("bread", "is", "good"))),
    ("3", "Bread again, from the bakery.", (("bread", "is from", "bakery"),)),
)


def case() -> Case:
    turns = []
    for i, (session, text, triples) in enumerate(SAID):
        labels = dict.fromkeys(end for source, _, target in triples for end in (source, target) if end != "I")
        stated = Extraction(
            tuple(ExtractedConcept(label, "name" if label[0].isupper() else "concept") for label in labels),
            tuple(ExtractedRelation(*triple) for triple in triples),
        )
        turn = TurnInput(text, f"t{i}", "Ana", "user", START + timedelta(minutes=i), session)
        turns.append(Scripted(turn, stated))
    return Case("authored", tuple(turns), (Question("q", "Who?", ("any",)),), "en")


@pytest.fixture(scope="module")
def shared(graph: Graph) -> Iterator[Baseline]:
    with world_of(case(), "conditions", graph) as world:
        yield Baseline(world)


def ask(shared: Baseline, condition: str, question: str) -> tuple[Answer, list[str]]:
    """The answer, and the turns in the order they are ranked."""
    answer = CONDITIONS[condition](shared)(question, None)
    return answer, [shared.world.turn_ids[record] for record in answer.ranked]


def test_the_world_is_the_memory(shared: Baseline) -> None:
    world: EvaluationMemory = shared.world
    assert [record.text for record in world.records] == [text for _, text, _ in SAID]
    assert world.protagonists == ("Ana",)
    assert world.vectors.shape == (len(SAID), 384)
    assert {world.concepts[c].label for c in world.mentions[1]} >= {"Maren", "Teo"}
    assert {(fact.source, fact.target) for fact in world.facts} >= {("Teo", "clocks"), ("Ana", "bread")}
    assert len(world.facts) == sum(len(triples) for _, _, triples in SAID)
    assert world.at == START + timedelta(minutes=len(SAID) - 1)


def test_none_sees_the_last_turns_only(shared: Baseline) -> None:
    answer, turns = ask(shared, "none", "What is the password of the printer?")
    assert turns == ["t9", "t8", "t7", "t6", "t5", "t4"]
    assert len(turns) == WINDOW
    assert "It rained" in answer.context
    assert "zyx-44" not in answer.context
    assert answer.context.index("It rained") < answer.context.index("Bread again")


@pytest.mark.parametrize("condition", ["hybrid", "hybrid-z"])
def test_hybrids_find_by_words_and_by_meaning(shared: Baseline, condition: str) -> None:
    answer, turns = ask(shared, condition, "Which password does the printer have?")
    assert turns[0] == "t2"
    assert 'Ana: "The password of the printer is zyx-44."' in answer.context
    assert ask(shared, condition, "Who is a musician with a woodwind instrument?")[1][0] == "t0"
    assert sorted(turns) == sorted(f"t{i}" for i in range(len(SAID)))


def test_hybrid_z_reads_a_turn_with_its_neighbours_in_the_session(shared: Baseline) -> None:
    alone, near = shared.words.scores("printer password"), shared.exchanges.scores("printer password")
    assert alone[1] == 0 < near[1]  # t2 is next to it
    assert near[3] == 0  # t3 is next to t2, too, but another day


def test_facts_are_ranked_by_their_sentences_alone(shared: Baseline) -> None:
    answer, turns = ask(shared, "facts", "Who repairs clocks?")
    assert turns[0] == "t3"
    assert "t4" not in turns  # it states nothing
    assert "- Teo repairs clocks." in answer.context
    assert '"' not in answer.context  # sentences, no quotes
    assert len(answer.context.splitlines()) == MOST + 3


def test_rerank_orders_the_similar_by_what_is_lit(shared: Baseline) -> None:
    _, turns = ask(shared, "rerank", "Which password does the printer have?")
    lit = [sum(shared.world.concepts[c].activation for c in shared.world.mentions[int(turn[1:])]) for turn in turns]
    assert lit == sorted(lit, reverse=True)
    assert turns[0] in ("t8", "t9")  # bread, bakery, oven were said last
    assert turns[0] != ask(shared, "hybrid", "Which password does the printer have?")[1][0]


def test_pagerank_walks_the_graph(shared: Baseline) -> None:
    _, turns = ask(shared, "pagerank", "What does the neighbour of Maren repair?")
    assert set(turns[:3]) == {"t0", "t1", "t3"}  # t3 says neither: Maren sits beside Teo, who repairs clocks
    assert sorted(turns) == sorted(f"t{i}" for i in range(len(SAID)))


def test_oroi_is_the_product_as_it_is(shared: Baseline) -> None:
    question = "What does Teo repair?"
    answer, turns = ask(shared, "oroi", question)
    recall = shared.world.memory.recall(question, at=shared.world.at)
    assert answer.context == recall.brief.text
    assert answer.ranked == tuple(hit.id for hit in recall.records(len(SAID)))
    assert "Teo repairs clocks" in answer.context
    assert turns[0] == "t3"


@pytest.mark.parametrize("condition", CONDITIONS)
def test_all_keep_the_same_budget_and_block(shared: Baseline, condition: str) -> None:
    answer, _ = ask(shared, condition, "What does Teo repair?")
    assert count_tokens(answer.context) <= shared.graph.options.brief_tokens
    assert answer.context.startswith(OPENING)
    assert answer.context.endswith(CLOSING)


def test_what_is_too_long_makes_way(shared: Baseline) -> None:
    long, short = "word " * 400, "a short one"
    context, held = shared.filled([long, short, long, *(["and another one"] * 200)], None)
    room = shared.graph.options.brief_tokens
    assert held[:3] == [0, 1, 3]
    assert len(held) == context.count("\n- ")
    assert room - 5 <= count_tokens(context) <= room
    assert context.count(long.strip()) == 1
    assert short in context
    assert shared.filled([], None) == ("", [])


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("budget", [None, 60])
def test_what_is_quoted_is_told(shared: Baseline, condition: str, budget: int | None) -> None:
    answer = CONDITIONS[condition](shared)("What does Teo repair?", budget)
    texts = {record.id: record.text for record in shared.world.records}
    told = {id for id, text in texts.items() if f'"{text}"' in answer.context}
    assert set(answer.quoted) == told
    # With little room the product's one fact leaves none for a quote.
    assert bool(told) == (condition != "facts" and (condition, budget) != ("oroi", 60))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_question_may_have_less_room(shared: Baseline, condition: str) -> None:
    question, ask_about = "What does Teo repair?", CONDITIONS[condition](shared)
    narrow, usual = ask_about(question, 50), ask_about(question, None)
    assert 0 < count_tokens(narrow.context) <= 50
    assert len(narrow.context) <= len(usual.context)
    assert narrow.ranked == usual.ranked, "a budget changes what is shown, not what is found"


def test_conditions_are_named() -> None:
    assert chosen([]) == ("none", "hybrid", "hybrid-z", "facts", "rerank", "pagerank", "oroi")
    assert chosen(["oroi", "hybrid", "oroi"]) == ("hybrid", "oroi")
    with pytest.raises(InputError, match="unknown condition 'bm25': choose from none, hybrid,"):
        chosen(["bm25"])


@pytest.mark.parametrize(
    ("texts", "question", "best"),
    [
        (["La casa de mi abuela", "Los trenes salían tarde"], "¿Cuándo salió el tren?", 1),
        (["A minha avó mora em Braga", "Os barcos partiram"], "Que barco partiu?", 1),
        (["The trains were leaving", "My house"], "When does the train leave?", 0),
    ],
)
def test_words_are_stemmed_in_their_language(texts: list[str], question: str, best: int) -> None:
    tongue = {"La": "es", "A ": "pt", "Th": "en"}[texts[0][:2]]
    scores = Words(texts, tongue).scores(question)
    assert scores[best] > 0 == scores[1 - best]


def test_words_of_nothing_score_nothing() -> None:
    assert Words([], "en").scores("train").tolist() == []
    assert Words(["the", "…"], "en").scores("train").tolist() == [0.0, 0.0]
    assert Words(["train", "boat"], "en").scores("the plane").tolist() == [0.0, 0.0]
