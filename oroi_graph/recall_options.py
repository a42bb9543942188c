"""The numbers of recall, each with what it is, its unit, range and origin.

An origin names the development set that a number was fitted on or chosen by, with the decision in docs/decisions/ if
there is one. "Reasoned" numbers were set by no measurement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, TypeVar

from oroi_graph.errors import SettingsError

T = TypeVar("T")

CONVERSATIONS = "fitted on five LoCoMo development conversations (decision 0003)"
SCENARIOS = "reasoned, then kept or changed by results on the development scenarios (decision 0004)"
HUBS = "chosen on hubs-dev.jsonl (decision 0007)"
HUB_SEARCH = "chosen by latency with 10,000 concepts and by hubs-dev.jsonl (decision 0006)"
STAGES = "chosen on five LoCoMo development conversations: evidence kept against time (decision 0008)"
COSINES = (
    "set between cosines of unrelated and of answering turns, of all-MiniLM-L6-v2; vectors of other local models are"
    " centred to that scale (decision 1680)"
)
NEAR = "chosen on newcomers', updates', natural and authored development scenarios (decision 1968)"
RELEVANCE = "fitted on development scenarios: templates, authored and natural ones, gold and offline (decision 0601)"
CLEAR = (
    "chosen on natural, authored and template development scenarios and LoCoMo's and MuSiQue's development questions"
    " (decision 1942)"
)
SUPERSEDING = "fitted or chosen on newcomers', updates', natural and authored development scenarios (decision 1964)"
TREES = "chosen on newcomers', updates', natural, authored and template development scenarios (decision 1965)"
ATTENTION = (
    "chosen on natural-work.jsonl and a half of natural-people.jsonl (decision 1970), again on other data (1974, 1975)"
)
READING = (
    "chosen on a fifth of the conversations for fitting, which the network had not seen (decisions 1973, 1975, 1977)"
)
DECIDING = (
    "chosen on conversations that the network had not seen, on authored, template and hub scenarios and on LoCoMo's and"
    " MuSiQue's development questions (decision 1979)"
)
SILENCE = "chosen on the same fifth (decisions 1975, 1977)"
CONFIDENCE = "chosen on labelled relations of the offline extractor (decisions 0602, 1957)"
BESIDE = "chosen by reading what briefs of natural-varied.jsonl state, and on labelled relations (decision 1978)"
WINDOWS = "chosen on the first two folds of `oroi evaluate windows` and on LoCoMo (decision 0812)"
KEPT = "chosen on another seed of `oroi evaluate windows` (decision 1640)"
THEMES = "chosen on five LoCoMo development conversations, where 0 to 0.7 do the same (decision 1840)"
BOUND = "reasoned: bounds the work of one recall"
REASONED = "reasoned"


def _number(default: T, what: str, unit: str, origin: str, low: float = 0.0, high: float = math.inf) -> T:
    """A field whose numbers lie in low..high."""
    described = {"what": what, "unit": unit, "origin": origin, "range": (low, high)}
    found: T = field(default=default, metadata=described)
    return found


def _weights(origin: str, what: str, **named: float) -> Mapping[str, float]:
    """A field of weights by the name of a feature, whose words are joined by "_" here and by a space elsewhere."""
    weights = {name.replace("_", " "): weight for name, weight in named.items()}
    described = {"what": what, "unit": "score per standard deviation, or per truth of a symbolic feature",
                 "origin": origin, "range": (-10.0, 10.0)}  # fmt: skip
    found: Mapping[str, float] = field(default_factory=lambda: MappingProxyType(weights), metadata=described)
    return found


class _Checked:
    """Raises SettingsError for a number outside the range that its field declares; 0 to 1 holds for shares."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, value, described in self._described():
            low, high = described["range"]
            numbers = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else (value,)
            for number in numbers:
                if not low <= number <= high:
                    raise SettingsError(f"{name} must be from {low:g} to {high:g}, got {number}")

    def to_json(self) -> dict[str, dict[str, Any]]:
        """{name: {value, what, unit, origin, range}}; an open end of a range is null."""
        return {
            name: {
                **described,
                "value": dict(value) if isinstance(value, Mapping) else value,
                "range": [None if math.isinf(end) else end for end in described["range"]],
            }
            for name, value, described in self._described()
        }

    def _described(self) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
        for one in fields(self):  # type: ignore[arg-type]  # its subclasses are dataclasses
            yield one.name, getattr(self, one.name), one.metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class Search(_Checked):
    """How a question enters the graph, how far the search goes, and which records become candidates."""

    question_length: int = _number(4000, "what is read of a question", "characters", REASONED, 1)
    span_candidates: int = _number(8, "concepts fetched for one span", "concepts", REASONED, 1)
    span_similarity: float = _number(
        0.62, "from which the nearest concept is what a span means", "cosine", COSINES, -1, 1
    )
    overlap_similarity: float = _number(
        0.80, "the same where the labels share words and both have others", "cosine", COSINES, -1, 1
    )
    longer_name: float = _number(0.7, "worth of a name that contains all words of a span", "weight", REASONED, 0, 1)
    longer_names: int = _number(2, "such names that one span links to", "concepts", REASONED)
    least_specificity: float = _number(0.05, "weight of what is mentioned all the time", "weight", REASONED, 0, 1)
    recognition: float = _number(
        0.40, "from which an active concept stands in for a question that names nothing", "cosine", COSINES, -1, 1
    )
    recognition_share: float = _number(
        0.8, "of the best active concept's cosine, from which others are cues, too", "share", REASONED, 0, 1
    )

    fan_out: tuple[int, ...] = _number(
        (24, 10, 5, 0), "neighbours fetched per concept at hops 1 to 4", "concepts", BOUND
    )
    nested_fan_out: tuple[int, ...] = _number(
        (24, 10, 5, 4), "the same for a question that names its answer over several others", "concepts", SCENARIOS
    )
    relation_share: float = _number(
        0.5, "of a fan-out, beyond which neighbours on one relation yield to others", "share", HUBS, 0, 1
    )
    hub_degree: int = _number(
        64, "associations from which only a relevant part is searched", "associations", HUB_SEARCH
    )
    hub_associations: int = _number(
        1000, "associations of a hub among which the question's relations are looked for", "associations", HUB_SEARCH
    )
    hub_targets: int = _number(
        12, "nearest concepts, and associations stated by the nearest records, to search a hub for", "items", SCENARIOS
    )
    wave_rounds: int = _number(6, "rounds of spreading: three hops have arrived by then", "rounds", REASONED, 1)
    step: float = _number(0.45, "of a step whose relation and end the question does not say", "score", SCENARIOS, 0, 1)
    self_step: float = _number(
        0.1, "the same out of a speaker, who is connected to almost every concept", "score", SCENARIOS, 0, 1
    )
    backward_step: float = _number(0.8, "factor of a step against its association", "factor", REASONED, 0, 1)
    least_step: float = _number(
        0.33, "geometric mean of the steps' scores below which a path is dropped", "score", SCENARIOS, 0, 1
    )
    unrelated_record: float = _number(
        0.1, "of the nearest record, up to which records say nothing of a step", "cosine", COSINES, -1, 1
    )
    related_record: float = _number(
        0.3, "of the nearest record, from which what it states is surely meant", "cosine", COSINES, -1, 1
    )

    records: int = _number(60, "fetched by vector, and again by full text; k of rank fusion", "records", BOUND, 1)
    prefix: int = _number(
        4, "letters that two forms of a word must share to be searched by prefix", "letters", REASONED
    )
    mentioned_concepts: int = _number(12, "concepts whose newest records become candidates", "concepts", BOUND)
    central_records: int = _number(50, "best records whose neighbouring turns become candidates", "records", BOUND)
    neighbour_turns: int = _number(1, "turns before and after them", "turns", CONVERSATIONS)
    windows: int = _number(1, "whether the times that a question names are read as windows", "0 or 1", REASONED, 0, 1)
    window_records: int = _number(
        600, "records of time windows that all become candidates; of more, the nearest by session and day", "records",
        BOUND, 1,
    )  # fmt: skip
    longest_period: int = _number(
        40, "length of a period in the question up to which its records become candidates (a month and slack)", "days",
        REASONED,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(_Checked):
    """The order of candidate records: a weighted sum of features, in two stages."""

    first_stage: Mapping[str, float] = _weights(
        CONVERSATIONS + '; "reached" on fifty multi-hop questions over passages; rounded',
        "features that need no word vectors, of all candidates",
        meaning=0.3, meaning_after=0.25, words=0.2, words_before=0.2, answers=0.2, session=0.7, activation=0.15,
        reached=0.5, who=2.4, who_first=0.9, when=2.9, time=2.0, asks=-0.6,
    )  # fmt: skip
    second_stage: Mapping[str, float] = _weights(
        CONVERSATIONS + '; "reached" on fifty multi-hop questions over passages; "first said" and "time ahead"'
        " with the others given (decision 1930); rounded",
        "features of the short list, late interaction among them",
        interaction=0.25, interaction_around=0.7, meaning_after=0.1, words_before=0.1, answers=0.2, session=0.4,
        first_said=0.3, activation=0.1, reached=0.5, who=2.1, who_first=0.7, when=2.3, time=1.4, time_ahead=1.6,
        asks=-0.6, assistant=-0.25,
    )  # fmt: skip
    retrieved: float = _number(
        0.8, "added in the first stage to what the search found, not its neighbours", "score", CONVERSATIONS, -10, 10
    )
    short_list: int = _number(100, "candidates of the second stage", "records", STAGES, 1)
    eligible: int = _number(40, "best candidates of the first stage that may enter a brief", "records", STAGES, 1)
    wave_scale: float = _number(
        100.0, "factor before log(1 + x): 1 % of a wave's start still counts", "factor", REASONED, 0
    )
    neighbour_word: float = _number(
        0.8, "worth of a word in a neighbouring record beside one in the record", "factor", CONVERSATIONS, 0, 1
    )
    bm25_saturation: float = _number(1.2, "k1 of BM25", "factor", "usual value (Robertson and Zaragoza 2009)")
    bm25_length: float = _number(0.75, "b of BM25", "share", "usual value (Robertson and Zaragoza 2009)", 0, 1)
    date_slack: tuple[int, ...] = _number(
        (3, 10), "after a named day, and after a longer period, in which it is still told of", "days", REASONED
    )
    after_date: float = _number(0.6, "date match of a record within that slack", "0..1", CONVERSATIONS, 0, 1)
    far_in_time: float = _number(
        0.5, "worth of fitting the question's time for a record whose cosine is a standard deviation below the mean",
        "factor", THEMES, 0, 1,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(_Checked):
    """What may enter a brief: thresholds on graph evidence and on the ranking, and the brief's size."""

    support: float = _number(0.5, "of the best answer's support, that an answer needs", "share", SCENARIOS, 0, 1)
    converged_support: float = _number(
        0.75, "the same where several cues reach the best answer", "share", SCENARIOS, 0, 1
    )
    explicit_path: float = _number(
        0.9, "mean step score from which a path says what the question says; above 1: never", "score", SCENARIOS
    )
    hub_share: float = _number(0.5, "of a fan-out, from which neighbours on one relation are no answers", "share", HUBS)
    hub_outlier: float = _number(
        1.2, "of their median path score, from which one of them is an answer all the same", "factor", HUBS
    )
    facts: int = _number(12, "facts that may enter", "facts", REASONED)

    sure_step: float = _number(
        0.6, "confidence of every relation on a path that may decide", "probability", CONFIDENCE, 0, 1
    )
    sure_fact: float = _number(0.75, "confidence from which a fact is stated", "probability", CONFIDENCE, 0, 1)
    beside_quotes: float = _number(
        0.94, "confidence from which it is stated beside a quote that states it", "probability", BESIDE, 0, 1
    )
    plain_words: int = _number(6, "longest such quote beside which it is stated as ever", "words", BESIDE)
    answers: int = _number(8, "answers beyond which graph evidence does not decide", "concepts", RELEVANCE, 1)
    decided: float = _number(
        0.5, "probability of the records that explicit paths support, from which these decide", "probability", TREES,
        0, 1,
    )  # fmt: skip
    decided_untold: float = _number(0.8, "the same where no sure fact tells the evidence", "probability", TREES, 0, 1)
    likely_alone: float = _number(
        0.25, "from which a record enters although it mentions no evidence",
        "probability", RELEVANCE, 0, 1,
    )  # fmt: skip
    relevant: float = _number(
        0.04, "from which a record that mentions the evidence is relevant by itself", "probability", TREES, 0, 1
    )
    of_another: float = _number(
        0.2, "from which a record enters beside evidence though it says no name that the question says", "probability",
        TREES, 0, 1,
    )  # fmt: skip
    some_support: float = _number(
        1e-6, "support of a record that mentions anything the cues reach", "support", REASONED
    )
    behind: float = _number(0.05, "of the best record's probability, that it needs, too", "share", TREES, 0, 1)
    mass: float = _number(
        0.96,
        "probability that the quotes hold together where the graph evidence does not decide",
        "share",
        ATTENTION,
        0,
        1,
    )
    faint: float = _number(
        0.02, "of the likeliest record's probability, below which none is quoted to fill that mass", "share", ATTENTION,
        0, 1,
    )  # fmt: skip
    misleading: float = _number(
        0.2, "of the probability that a record misleads, below which its own that it helps keeps it out", "share",
        READING, 0, 10,
    )  # fmt: skip
    silent: float = _number(
        0.75, "that no record answers, from which none is quoted; above 1: never", "probability", SILENCE, 0, 2
    )
    surely_silent: float = _number(
        0.95, "the same from which graph evidence decides nothing, either", "probability", DECIDING, 0, 2
    )
    related: float = _number(
        0.20, "of the nearest record, from which the memory has something to say", "cosine", NEAR, -1, 1
    )
    word_similarity: float = _number(0.35, "mean cosine of words from which it has, too", "cosine", COSINES, -1, 1)
    joint: float = _number(
        0.5, "of the nearest record's nearness, from which another memory adds records to a joint brief", "share",
        REASONED, 0, 1,
    )  # fmt: skip
    repeated: float = _number(
        0.6, "of all words, that a question shares with the question asked: it is no answer", "share", REASONED, 0, 1
    )
    complete: int = _number(2, "content words from which a quote is understood alone", "words", REASONED)
    likely: int = _number(4, "best records among which what was so is looked for", "records", SCENARIOS)
    relevance: Mapping[str, float] = _weights(
        RELEVANCE, "log odds of a record, of the symbolic features of `recall/ranking/relevance`, beside its trees",
        who=0.98, asks=-2.59, assistant=-3.11, states=0.56, unnamed=-0.61, outdated=-2.32, was_so=3.09, remember=0.34,
        asked_to_remember=2.94, a_name=1.08, a_number=2.54, a_time=1.34, a_place=1.22,
    )  # fmt: skip
    attention: float = _number(
        1.0, "of what a network says that reads a record's words against the question's (`recall/ranking/attention`)",
        "log odds for each of theirs", READING,
    )  # fmt: skip
    clear: float = _number(
        2.9, "of the best record's ranking score above the mean, from which the ranking's own order counts; fully a"
        " deviation further", "standard deviations", CLEAR,
    )  # fmt: skip
    clear_order: float = _number(
        0.8, "of a record for a standard deviation of its ranking score, where that order counts fully", "log odds",
        CLEAR,
    )  # fmt: skip
    clear_rest: float = _number(0.2, "of the other log odds that is left there", "share", CLEAR, 0, 1)
    clear_read: float = _number(
        0.5, "of how far it stands out, that counts where a network reads the records", "share", DECIDING, 0, 1
    )
    superseding: Mapping[str, float] = _weights(
        SUPERSEDING, "log odds that a later record replaces another one, of the features of"
        " `recall/ranking/supersession`",
        always=1.87, passing=-1.35, tells=1.53, likely=1.03, length=-1.53, apart=1.51, asked=2.8, besides=2.69,
    )  # fmt: skip
    superseding_records: int = _number(
        16, "likeliest records that are compared, each with the later ones", "records", REASONED
    )
    superseded: float = _number(
        0.85, "that a later record replaces another one, from which the older one is left out", "probability",
        TREES, 0, 1,
    )  # fmt: skip
    earlier: float = _number(
        0.4, "from which the older one is marked as earlier where it is quoted", "probability", SUPERSEDING, 0, 1
    )
    profile_facts: int = _number(60, "facts of a profile, the strongest ones", "facts", BOUND, 1)
    profile_records: int = _number(6, "newest records of a profile", "records", REASONED, 1)
    profile_searched: int = _number(
        300, "newest records that a profile with a filter chooses from", "records", BOUND, 1
    )
    reranked: int = _number(24, "likeliest records that a reranker is shown", "records", REASONED, 1)
    in_time: float = _number(
        1.25, "of a record for a unit of its ranking score, which weighs time, if the question names one", "log odds",
        WINDOWS, 0, 10,
    )  # fmt: skip
    time_mass: float = _number(
        0.9, "probability that the quotes hold of those that fit the time a question names", "share", KEPT, 0, 1
    )
    digest_themes: int = _number(5, "concepts that say what one session of a digest was about", "concepts", REASONED)
    digest_quote: int = _number(200, "longest quote of a digest", "characters", REASONED, 1)
    conversations: int = _number(12, "sessions that a model is asked about, if there is one", "sessions", BOUND, 1)
    part_words: int = _number(3, "least length of the first of two questions", "words", REASONED)
    criterion_words: int = _number(2, "content words that make a criterion", "words", REASONED)
    criteria_lead: float = _number(
        0.3, "of one concept's records over the next concept's, for all criteria together", "standard deviations",
        SCENARIOS,
    )  # fmt: skip

    left_out: int = _number(
        10, "best-ranked records left out of a brief of which it is told why, and as many unranked ones", "records",
        REASONED,
    )  # fmt: skip
    quote_length: int = _number(
        600, "longest quote where there is room for it (decision 1976)", "characters", SCENARIOS, 1
    )
    short_quote: int = _number(
        200, "longest quote where that leaves room for one more (decision 0604)", "characters", SCENARIOS, 1
    )
    facts_share: float = _number(0.6, "of the brief's budget that facts may take", "share", REASONED, 0, 1)
