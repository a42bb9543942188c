"""How likely each record helps to answer, on small networks without a database, and once on a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from evocations import NOWHERE, evoked
from graph_view import NOON
from tables import table

from oroi_graph import Extraction, Memory, OfflineExtractor, RecordHit
from oroi_graph.providers.e5 import MODEL
from oroi_graph.providers.word_vectors import pack
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.graph.evidence import Evidence
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.question import read_question
from oroi_graph.recall.ranking import relevance
from oroi_graph.recall.ranking.answer_types import asked_types
from oroi_graph.recall.ranking.attention import Scores
from oroi_graph.recall.ranking.features import Values, rarity, z_scores
from oroi_graph.recall.ranking.links import Conversation, Things
from oroi_graph.recall.ranking.ranker import Words
from oroi_graph.recall.ranking.relevance import (
    ATTENDED,
    TREES,
    Ranked,
    attention,
    features,
    probabilities,
    to_read,
    weighed,
)
from oroi_graph.recall.ranking.trees import Trees
from oroi_graph.recall_options import Selection
from oroi_graph.working_set.candidates import Candidate

SELECTION = Selection()
FILLER = ["We had pancakes.", "It rained.", "The train was late.", "My neighbour drums."]


class Near(Words):
    """Words whose best cosines are given; the question's and the records' are not known."""

    def __init__(self, best: Sequence[Sequence[float]] | None) -> None:
        super().__init__(None, {}, 384)
        self._given = best

    def best(self, ids: Sequence[str]) -> Values | None:
        return None if self._given is None else np.array(self._given)


Said = tuple[str, float]  # a record's text and how near it is to the question's words


def ranked(
    question: str,
    said: Sequence[Said],
    *,
    concepts: Mapping[int, Sequence[str]] | None = None,
    assistant: Sequence[int] = (),
    best: Sequence[Sequence[float]] | None = None,
    evocation: Evocation = NOWHERE,
    scores: Mapping[int, float] | None = None,
    words: Words | None = None,
    **known: object,
) -> Ranked:
    """Records "0", "1", … of these texts; concepts: ids of those that some mention; best: rows of `Words.best`.

    scores: of some records in the ranking, 0 of the others.
    """
    hits, candidates = [], {}
    session = known.pop("session", None)  # of all; None: each has its own
    for i, (text, near) in enumerate(said):
        role = "assistant" if i in assistant else "user"
        numbers = {"meaning": near, "interaction": near, "meaning after": 0.0, "reached": 0.0, "who": 0.0}
        numbers |= {"asks": float(text.endswith("?")), "assistant": float(role == "assistant")}
        id = str(i)
        score = (scores or {}).get(i, 0.0)
        hits.append(RecordHit(id, id, i, role, "Ana", session or id, None, text, score, numbers))  # type: ignore[arg-type]
        candidates[id] = Candidate(
            id=id, turn_id=id, turn=i, role=role, speaker="Ana", session="1", at=None, text=text, gist=False,
            concepts=tuple((concepts or {}).get(i, ())),
        )  # type: ignore[arg-type]  # fmt: skip
    given = {"stating": frozenset(), "superseded": frozenset()} | known
    return Ranked(
        read_question(question, "Ana", None, OfflineExtractor()),
        evocation,
        Evidence({}, (), 0.0, False, False),
        hits,
        candidates,
        words or Near(best),
        **given,  # type: ignore[arg-type]
    )


def likely(question: str, said: Sequence[Said], **known: object) -> list[float]:
    return list(probabilities(ranked(question, said, **known), SELECTION).helps.values())  # type: ignore[arg-type]


def feature(name: str, question: str, said: Sequence[Said], **known: object) -> list[float]:
    return features(ranked(question, said, **known))[name].tolist()  # type: ignore[arg-type, no-any-return]


def around(*said: Said) -> list[Said]:
    """These records, then some that have nothing to do with anything."""
    return [*said, *((text, 0.05) for text in FILLER)]


# --- probabilities -----------------------------------------------------------------------------------------------


def test_no_records_have_no_probability() -> None:
    assert probabilities(ranked("Who repairs the boiler?", []), SELECTION) == ({}, {}, 0.0)


def test_probabilities_sum_to_one_and_follow_nearness() -> None:
    found = likely("Who repairs the boiler?", around(("Zoltan repairs boilers.", 0.8), ("I like boilers.", 0.4)))
    assert sum(found) == pytest.approx(1.0)
    assert found[0] > found[1] > max(found[2:])


def test_a_record_is_likely_only_if_no_other_is_more_so() -> None:
    alone = likely("Who repairs the boiler?", around(("Zoltan repairs boilers.", 0.5)))
    beside = likely("Who repairs the boiler?", around(("Zoltan repairs boilers.", 0.5), ("Zoltan fixed it.", 0.9)))
    assert alone[0] > max(0.5, beside[0] + 0.2)


def test_one_record_is_certain_and_equal_ones_are_equally_likely() -> None:
    assert likely("Who?", [("It rained.", 0.1)]) == [1.0]
    assert likely("Who?", [("It rained.", 0.1)] * 4, session="1") == pytest.approx([0.25] * 4)


def test_a_ranking_whose_best_stands_out_is_believed() -> None:
    """Of 22 records one is 4.6 standard deviations above the mean; half of them as good are not."""
    said = [("Zoltan repairs the boiler.", 0.5), ("He came on Monday.", 0.3), *[(text, 0.05) for text in FILLER * 5]]
    without, clear = (likely("Who repairs it?", said, scores=scores) for scores in (None, {1: 3.0}))
    blurred = likely("Who repairs it?", said, scores=dict.fromkeys(range(1, 12), 3.0))
    assert without[0] > without[1]
    assert clear[1] > clear[0]
    assert blurred == without


def test_how_far_it_must_stand_out_and_what_it_weighs_then_are_options() -> None:
    found = ranked("Who repairs it?", [(text, 0.05) for text in FILLER * 5], scores={1: 3.0})  # 4.36 above the mean
    unmoved = probabilities(found, replace(SELECTION, clear_order=0.0, clear_rest=1.0)).helps
    assert probabilities(found, replace(SELECTION, clear=5.0)).helps == unmoved
    alone = probabilities(found, replace(SELECTION, clear_order=2.0, clear_rest=0.0)).helps
    z = np.where(np.arange(20) == 1, np.sqrt(19), -1 / np.sqrt(19))
    assert list(alone.values()) == pytest.approx((np.exp(2 * z) / np.exp(2 * z).sum()).tolist())
    half = probabilities(found, replace(SELECTION, clear=np.sqrt(19) - 0.5, clear_order=2.0, clear_rest=0.0)).helps
    assert unmoved["1"] < half["1"] < alone["1"]


def test_beside_a_network_that_order_counts_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that says the same of all changes nothing else."""
    found = ranked("Who repairs it?", [(text, 0.05) for text in FILLER * 5], scores={1: 3.0})

    def first(**options: float) -> float:
        given = {"clear_order": 2.0, "clear_rest": 0.0} | options
        return probabilities(found, replace(SELECTION, **given)).helps["1"]  # type: ignore[arg-type]

    alone, unmoved = first(), first(clear=5.0)
    monkeypatch.setattr(relevance, "attention", lambda _, told: Scores(np.ones(len(told)), np.zeros(len(told)), 0.0))
    shares = [first(clear_read=share) for share in (0.0, 0.5, 1.0)]
    assert shares == [pytest.approx(unmoved), shares[1], pytest.approx(alone)]
    assert unmoved < shares[1] < alone
    assert first(clear_read=0.5) == pytest.approx(first(clear_read=1.0, clear_order=1.0, clear_rest=0.5))


def test_large_scores_overflow_nothing() -> None:
    one = '{"features": ["interaction"], "trees": [{"features": [0], "borders": [0.0], "values": [-900, 900]}]}'
    found = ranked("Who?", [("It rained.", 0.9), ("It snowed.", -0.9)])
    assert list(probabilities(found, SELECTION, Trees.read(one)).helps.values()) == [1.0, 0.0]


def test_models_may_scale_their_cosines_as_they_like() -> None:
    said = around(("Zoltan repairs boilers.", 0.5), ("I like boilers.", 0.4), ("He came on Monday.", 0.2))
    scaled = [(text, 0.8 + 0.1 * near) for text, near in said]
    assert likely("Who repairs the boiler?", scaled) == pytest.approx(likely("Who repairs the boiler?", said))


@table("name", sorted(name for name in TREES.names if not name.startswith("near ")))
def test_no_feature_speaks_against_its_sign(name: str) -> None:
    """With more of what speaks for a record and all else the same, no record gets less likely."""
    generator = np.random.default_rng(0)
    x = {one: generator.normal(0, 2, 4000).round(1) for one in TREES.names}
    more = {**x, name: x[name] + generator.exponential(2, 4000)}
    trees = TREES.scores(more) - TREES.scores(x)
    sign = -1 if name in {"asks", "assistant", "unnamed", "outdated"} else 1
    assert (sign * trees).min() >= -1e-9
    assert np.abs(trees + weighed(more, SELECTION) - weighed(x, SELECTION)).max() > 0, "it is looked at"


@table(
    ("likelier", "than"),
    [
        ("Zoltan repairs the boiler.", "Zoltan repairs the boiler?"),
        ("Zoltan repairs the boiler on Monday morning at nine.", "Zoltan repairs."),
        ("Remember: Zoltan repairs the boiler.", "Indeed: Zoltan repairs the boiler."),
        ("Now Zoltan repairs the boiler.", "Here Zoltan repairs the boiler."),
    ],
)
def test_how_a_record_says_it_counts(likelier: str, than: str) -> None:
    first, _, *_ = likely("Who repairs the boiler?", around((likelier, 0.5), (than, 0.5)))
    turned, _, *_ = likely("Who repairs the boiler?", around((than, 0.5), (likelier, 0.5)))
    assert first > turned


@table(
    ("text", "change", "remember"),
    [
        ("I moved to Irun.", 1, 0),
        ("Knowing him I doubt it.", 0, 0),
        ("Please don't forget the milk.", 0, 1),
        ("Keep in mind that I no longer drink.", 1, 1),
        ("I live in Irun.", 0, 0),
    ],
)
def test_what_is_stressed(text: str, change: float, remember: float) -> None:
    question = "Where do I live?"
    assert feature("change", question, [(text, 0.1)]) == [change]
    assert feature("remember", question, [(text, 0.1)]) == [remember]


@table(
    ("question", "text"),
    [("¿Dónde vivo?", "Ahora vivo en Irún."), ("Onde eu moro?", "Agora moro em Braga.")],
)
def test_change_is_read_in_the_language_of_the_question(question: str, text: str) -> None:
    assert feature("change", question, [(text, 0.1)]) == [1.0]


def test_what_was_replaced_helps_only_where_the_past_is_asked_for() -> None:
    said = around(("I live in Bilbao.", 0.5), ("I live in Irun.", 0.5))
    old, new, *_ = likely("Where do I live?", said, superseded=frozenset({"0"}))
    assert old < new / 5
    old, new, *_ = likely("Where did I live before?", said, superseded=frozenset({"0"}))
    assert old > 5 * new
    assert feature("change", "Where did I live before?", [("I moved to Irun.", 0.5)]) == [0.0]


def test_a_record_that_states_a_fact_on_the_way_is_likelier() -> None:
    said = around(("I live in Bilbao.", 0.5), ("I live in Irun.", 0.5))
    first, second, *_ = likely("Where do I live?", said, stating=frozenset({"1"}))
    assert second > 2 * first


def test_the_assistant_is_believed_less() -> None:
    first, second, *_ = likely("Where do I live?", around(("In Irun.", 0.5), ("In Irun.", 0.5)), assistant=[0])
    assert second > 5 * first


def test_where_somebody_is_named_what_mentions_nobody_is_less_likely() -> None:
    question, said = "Where does Maren live?", [("She lives in Irun.", 0.5), ("Maren lives there.", 0.5)]
    cue = Cue("Maren", "m", "Maren", "name", "exact", 1.0)
    named = evoked(cue)
    assert feature("unnamed", question, said, concepts={1: ["m"]}, evocation=named) == [1.0, 0.0]
    assert feature("unnamed", question, said, concepts={1: ["m"]}) == [0.0, 0.0]


# --- bridges ------------------------------------------------------------------------------------------------------

BOILER = ("Tomorrow the plumber comes because of the boiler.", 0.7)
PLUMBER = ("The plumber is called Zoltan.", 0.1)
OTHER = ("The baker is called Ignaz.", 0.1)
ASKED = "Who repairs the boiler?"


def test_a_rare_shared_word_is_a_bridge() -> None:
    bridge = feature("bridge", ASKED, around(BOILER, PLUMBER, OTHER))
    assert bridge[1] > max(bridge[2:])
    first, plumber, baker, *_ = likely(ASKED, around(BOILER, PLUMBER, OTHER))
    assert first > plumber > baker


def test_the_rarer_the_word_the_stronger_the_bridge() -> None:
    many = [(f"A plumber came to house number {n}.", 0.1) for n in range(12)]
    rare, frequent = (features(ranked(ASKED, [BOILER, PLUMBER, *others, *around()]))["bridge"] for others in ([], many))
    assert rare[1] - rare[-1] > frequent[1] - frequent[-1]


def test_a_word_of_the_question_is_no_bridge() -> None:
    found = feature("bridge", "Who is the plumber of the boiler?", [BOILER, ("A plumber!", 0.1), ("Noon.", 0.1)])
    assert found == [0.0, 0.0, 0.0]


def test_a_shared_concept_is_a_bridge_where_no_word_is_shared() -> None:
    said = around(BOILER, ("His name is Zoltan.", 0.1), OTHER)
    concepts = {0: ["plumber"], 1: ["plumber"], 2: ["baker"]}
    assert feature("bridge", ASKED, said)[1] <= 0
    bridge = feature("bridge concept", ASKED, said, concepts=concepts)
    assert bridge[1] > max(bridge[2:])


def test_nobody_is_bridged_to_itself() -> None:
    alone = feature("bridge concept", ASKED, around(BOILER, PLUMBER), concepts={0: ["plumber"]})
    assert set(alone) == {0.0}


def test_an_assistants_words_are_no_end_of_a_bridge() -> None:
    own = feature("bridge", ASKED, around(BOILER, PLUMBER))
    parroted = feature("bridge", ASKED, around(BOILER, PLUMBER), assistant=[0])
    assert parroted[1] < own[1]


def test_weak_clues_about_one_thing_count_together() -> None:
    """Each record matches one word of the question; two of them are about the same boat."""
    said = [("My boat is red.", 0.3), ("The boat won at Getaria.", 0.3), ("The car is red.", 0.3), ("It rained.", 0.0)]
    best = [[0.9, 0.1, 0.9, 0.0], [0.1, 0.9, 0.1, 0.0]]
    concepts = {0: ["boat"], 1: ["boat"], 2: ["car"]}
    found = feature("together", "What red thing won?", said, best=best, concepts=concepts)
    assert found[0] == found[1] > found[2] > found[3]


def test_words_that_all_records_match_alike_tell_nothing() -> None:
    said = [("My boat is red.", 0.3), ("The car is blue.", 0.3)]
    alike = feature("together", "What thing?", said, best=[[0.5, 0.5], [0.2, 0.8]])
    assert alike == pytest.approx(feature("together", "What thing?", said, best=[[0.2, 0.8]]))


def test_a_record_two_words_apart_is_bridged_by_a_rare_shared_word(memory: Memory) -> None:
    """No relation is read: only "plumber" leads from the boiler to who repairs it."""
    for i, text in enumerate(
        [
            "Tomorrow the plumber comes because of the boiler.",
            "The plumber is called Zoltan, by the way.",
            "We had pancakes for supper.",
            "The cat slept all day on the sofa.",
            "I bought new running shoes.",
            "It rained in the afternoon.",
            "The train to Burgos was late again.",
            "My neighbour plays the drums.",
        ]
    ):
        memory.perceive(text, speaker="Ana", at=NOON + timedelta(days=i), extraction=Extraction()).close()
    recall = memory.recall("Who repairs the boiler?", speaker="Ana")
    assert "Zoltan" in recall.brief.text
    assert "pancakes" not in recall.brief.text
    likelihood = {hit.text: hit.features["probability"] for hit in recall.ranked}
    assert sum(likelihood.values()) == pytest.approx(1.0, abs=1e-4)
    best = sorted(likelihood, key=lambda text: -likelihood[text])[:2]
    assert "The plumber is called Zoltan, by the way." in best


@table(
    ("question", "language", "types"),
    [
        ("Which night does the band meet?", "en", {"time"}),
        ("Who looks after Nora?", "en", {"name"}),
        ("Who is Nora?", "en", set()),
        ("¿Quién es Nora?", "es", set()),
        ("Quem é a Nora?", "pt", set()),
        ("Quem é que cuida da Nora?", "pt", {"name"}),
        ("Who is looking after Nora?", "en", {"name"}),
        ("How many eggs do we need?", "en", {"number"}),
        ("¿Por dónde paso a recoger a Leire?", "es", {"place"}),
        ("¿A qué hora sale el tren?", "es", {"number", "time"}),
        ("Como se chama o dentista?", "pt", {"name"}),
        ("Why is it cold?", "en", set()),
        ("Wer ist das?", "de", set()),
    ],
)
def test_what_a_question_asks_for(question: str, language: str, types: set[str]) -> None:
    assert asked_types(question, language) == types


@table(
    ("name", "question", "tells", "silent"),
    [
        ("a name", "Who looks after Nora?", "On Monday it was Jon who took her.", "my aunt took her"),
        ("a number", "How many eggs do we need?", "take three of them", "take one of them"),
        ("a time", "Which night do we meet?", "we meet on sundays", "we meet after dinner"),
        ("a place", "Where do we meet?", "we meet at the laundromat", "we meet often"),
    ],
)
def test_a_record_that_tells_what_is_asked_for_is_likelier(name: str, question: str, tells: str, silent: str) -> None:
    assert feature(name, question, [(tells, 0.1), (silent, 0.1)]) == [1.0, 0.0]
    assert feature(name, "Why?", [(tells, 0.1), (silent, 0.1)]) == [0.0, 0.0]
    first, second, *_ = likely(question, around((tells, 0.3), (silent, 0.3)))
    assert first > second


def test_who_says_the_words_of_the_question_is_likelier() -> None:
    """Words count by their rarity, one that none says most; a share counts by its square."""
    said = [("My washing machine broke.", 0.3), ("My mother broke her wrist.", 0.3), *((text, 0.3) for text in FILLER)]
    question = "Which brand is my washing machine?"
    found = feature("says", question, said)
    assert found == pytest.approx([(2 / 3) ** 2, *[0.0] * 5])  # three words that at most one text says
    first, second, *_ = likely(question, said)
    assert first > second
    assert feature("says", "Why?", said) == [0.0] * 6


def test_rare_words_of_the_question_count_more() -> None:
    said = [("The boiler is loud.", 0.3), ("The pump is loud.", 0.3), ("The door is loud.", 0.3), ("It rained.", 0.3)]
    boiler, pump, *_ = feature("says", "Is the boiler loud?", said)
    rare, frequent = np.log(5), np.log(5 / 3)
    assert boiler == 1.0
    assert pump == pytest.approx((frequent / (rare + frequent)) ** 2)


@table(
    ("question", "reminder"),
    [
        ("What should I keep in mind for the trip?", "Write this down: the passports are with my aunt."),
        ("¿Qué no se me puede olvidar del viaje?", "Apúntalo: los pasaportes los tiene mi tía."),
        ("O que não posso esquecer da viagem?", "Guarda isso: os passaportes estão com a minha tia."),
    ],
)
def test_what_was_to_be_remembered_helps_who_asks_for_it(question: str, reminder: str) -> None:
    said = around((reminder, 0.2), ("The trip was nice.", 0.3))
    assert feature("asked to remember", question, said)[:2] == [1.0, 0.0]
    first, second, *_ = likely(question, said)
    assert first > second
    assert feature("asked to remember", "Where is it?", said)[0] == 0.0


def test_the_turn_after_a_near_one_is_near_too_and_what_is_said_last_is_latest() -> None:
    near = np.array([0.5, 0.1, 0.1, 0.4])
    hits = ranked("Who?", [("a", 0.5), ("b", 0.1), ("c", 0.1), ("d", 0.4)]).hits
    hits = [replace(hit, session=session) for hit, session in zip(hits, "1122", strict=True)]
    no_assistant = np.zeros(4, dtype=bool)
    told = Conversation(hits, no_assistant)
    assert told.around(near) == {
        "near before": pytest.approx([0.1, 0.5, 0.1, 0.1]),
        "near after": pytest.approx([0.1, 0.1, 0.4, 0.1]),
        "near two before": pytest.approx([0.1] * 4),
    }
    first, second, third, last = told.progress(z_scores(near))
    assert (first, second) == (0.0, 0.0), "nothing was said in another session before"
    assert 0.5 < third == last < 1.0
    turned = Conversation(hits[::-1], no_assistant).progress(z_scores(near[::-1]))
    assert turned.tolist() == pytest.approx([last, third, second, first]), "the order of the ranking does not matter"


# --- the network -------------------------------------------------------------------------------------------------


def held(count: int) -> Words:
    """Random words of a question and of so many records, as those of the model that has a network."""
    draw = np.random.default_rng(3)
    asked, *said = (pack(np.ones((6, 384)), draw.normal(size=(6, 384))) for _ in range(count + 1))
    return Words(asked, {str(i): words for i, words in enumerate(said)}, 384, MODEL)


def test_the_network_reads_the_likeliest_records_and_no_other_is_better() -> None:
    count = ATTENDED + 6
    read = ranked("Who?", [(f"Number {i}.", 0.1) for i in range(count)], words=held(count))
    told = -np.arange(count, dtype=np.float64)
    scores, misleading, silent, by_network = attention(read, told)
    assert by_network
    assert len(set(scores[:ATTENDED])) == ATTENDED
    assert scores[ATTENDED:].tolist() == [scores.min()] * 6
    assert misleading[:ATTENDED].min() > 0
    assert misleading[ATTENDED:].tolist() == [0.0] * 6
    assert list(probabilities(read, SELECTION).misleads.values())[:ATTENDED] != [0.0] * ATTENDED
    assert 0 < silent < 1
    assert 0 < probabilities(read, SELECTION).silent < 1


def test_records_without_words_and_other_models_have_no_network() -> None:
    said = [("One.", 0.1), ("Two.", 0.1), ("Three.", 0.1)]
    some = replace(held(3), held={"0": held(3).held["0"], "1": None, "2": held(3).held["2"]})
    once = pack(np.ones((6, 384)))  # words that were packed before there was a second reading
    of_another_fit = pack(np.ones((6, 384)), np.ones((6, 384)), 7)
    for held_words in (some, *(replace(some, held={**some.held, "1": words}) for words in (once, of_another_fit))):
        found = attention(ranked("Who?", said, words=held_words), np.zeros(3))
        first, none, last = found.answering
        assert none == min(first, last) < max(first, last)
        assert found.misleading[1] == 0.0
    for without in (
        replace(held(3), model="another"),
        replace(held(3), asked=None),
        replace(held(3), asked=once),
        replace(held(3), asked=of_another_fit),
        replace(held(3), held={}),
    ):
        none = attention(ranked("Who?", said, words=without), np.zeros(3))
        assert [*none.answering, *none.misleading, none.silent] == [0.0] * 7
        assert not none.by_network


def test_what_the_network_says_is_added_by_its_weight() -> None:
    said = [("One.", 0.1), ("Two.", 0.1)]
    read = ranked("Who?", said, words=held(2))
    without, single, double = (
        np.log([*probabilities(read, replace(SELECTION, attention=weight)).helps.values()])
        for weight in (0.0, 1.0, 2.0)
    )
    unread = probabilities(read, replace(SELECTION, attention=0.0))  # none is asked
    assert {*unread.misleads.values(), unread.silent} == {0.0}
    scores = attention(read, without).answering  # to which a constant makes no difference
    assert np.diff(single - without) == pytest.approx(np.diff(scores), abs=1e-6)
    assert np.diff(double - without) == pytest.approx(2 * np.diff(scores), abs=1e-6)


def test_which_records_share_words_that_the_question_does_not_say_is_told_to_the_network() -> None:
    texts = ("Hilary read the menu of Mulqueen's.", "Nothing.", "Mulqueen's has parking and a gravel yard.")
    said, odds = [(text, 0.1) for text in texts], np.array([0.0, 2.0, 1.0])  # the last one comes second
    *_, ties = to_read(ranked("Whose menu has parking?", said, words=held(3)), odds)
    assert np.argwhere(ties[..., 0] > 0).tolist() == [[1, 2], [2, 1]]
    assert ties[1, 2].tolist() == pytest.approx([rarity([{"a"}, {"a"}, set()])["a"]] * 2)
    *_, none = to_read(ranked("Does Mulqueen's menu have parking?", said, words=held(3)), odds)
    assert not none.any()


def test_the_network_says_something_else_of_records_that_share_a_word() -> None:
    apart, together = (
        attention(ranked("Who?", [(text, 0.1) for text in ("Apples.", "Pears.", other)], words=held(3)), np.zeros(3))
        for other in ("Plums.", "Plums and apples.")
    )
    assert np.abs(apart.answering - together.answering).max() > 1e-3


def test_words_are_rare_that_few_texts_say() -> None:
    found = rarity([{"one", "two"}, {"one"}, {"one", "three"}])
    assert found == pytest.approx({"one": np.log(4 / 3) / np.log(4), "two": 1.0, "three": 1.0})
    assert rarity([]) == {}


def test_records_share_the_rarest_word_and_all_together() -> None:
    texts = [{"a", "b", "c"}, {"a", "b", "d"}, {"a"}, {"e"}]
    known = rarity(texts)
    found = Things.of(texts, {"c"}).ties([3, 0, 1])
    assert found.shape == (3, 3, 2)
    assert found[1, 2].tolist() == pytest.approx([known["b"], known["a"] + known["b"]])
    assert found[2, 1].tolist() == found[1, 2].tolist()
    assert np.count_nonzero(found) == 4
    assert not Things.of(texts, {"a", "b"}).ties([3, 0, 1]).any()
    assert Things.of(texts, ()).ties([]).shape == (0, 0, 2)


def test_things_that_link_nothing_are_told_apart() -> None:
    having = Things.of([{"a", "b"}, {"b"}, set()], ("b", "never", "a")).having_apart()
    assert having.tolist() == [[True, True, False], [False] * 3, [True, False, False]]


def test_when_and_by_whom_a_record_was_said_is_told_to_the_network() -> None:
    read = ranked(
        "What did I do before?", [("One.", 0.1), ("Two.", 0.1), ("Three.", 0.1)], assistant=[1], words=held(3)
    )
    hits = [replace(hit, at=at) for hit, at in zip(read.hits, ("2026-03-03", "2026-03-01", "2026-03-02"), strict=True)]
    places, packed, about, _ = to_read(replace(read, hits=hits), np.array([0.0, 2.0, 1.0]))
    assert places == [1, 2, 0]
    assert packed == [read.words.held[str(i)] for i in places]
    assert about.tolist() == [[-0.5, 1.0, 1.0], [0.0, 0.0, 1.0], [0.5, 0.0, 1.0]]
