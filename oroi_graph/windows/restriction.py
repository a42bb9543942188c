"""What a time in a question restricts: the conversation, an event spoken of, or nothing at all (a name, a title)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from oroi_graph.language.numbers import NUMBERS
from oroi_graph.windows.clauses import Verb, sentence
from oroi_graph.windows.grammar.expressions import Found
from oroi_graph.windows.grammar.lexicon import TimeLexicon, is_verb
from oroi_graph.windows.grammar.meaning import Meaning
from oroi_graph.windows.grammar.tokens import Token, terminals
from oroi_graph.windows.window import Refers, Window

_PROPER = frozenset({"WD", "WDS", "WDF", "MO", "HOL"})  # terminals whose words are written with capitals
_PROPER_IN_ENGLISH = frozenset({"SEASON", "SEASONS"})
_OR = frozenset({"or", "o", "ou"})
_AND = frozenset({"and", "y", "e"})
_RANGE = 6  # words from "between" to its second end
OLD = 25  # years: an earlier year is the time of something else


@dataclass(frozen=True, slots=True)
class Restriction:
    """The windows of an expression and what they are the windows of."""

    windows: tuple[Window, ...]
    refers: Refers


def restriction(
    tokens: Sequence[Token], found: Found, verbs: Sequence[Verb], lexicon: TimeLexicon, today: date
) -> Restriction | None:
    """What an expression restricts; None for what is no time, or nobody's: names, titles, unknown events."""
    meaning = found.meaning
    if meaning is None or _is_named(tokens, found, lexicon) or _has_unknown_event(tokens, found, lexicon):
        return None
    windows = meaning.windows
    if meaning.planned or all(w.start > today for w in windows):
        return Restriction(windows, "event")
    if meaning.kind in ("year", "decade") and windows[-1].end.year < today.year - OLD:
        return Restriction(windows, "event")
    governing, outer = _governing(tokens, found, verbs, lexicon)
    if meaning.lone and not _may_be_alone(tokens, found, governing, lexicon):
        return None
    if meaning.bare and _is_habit(tokens, found, verbs, lexicon):
        return Restriction(meaning.ahead or windows, "event")
    if _is_attribute(tokens, found, lexicon, meaning):
        return None
    if governing is None:
        return Restriction(windows, "either")
    open_end = windows[-1].end >= today and meaning.kind not in ("rolling", "since", "lately")
    if governing.tense in ("now", "ahead") and not governing.asks and not (governing.says and governing.tense == "now"):
        belongs = meaning.kind != "range" and tokens[found.first].form in lexicon.context["of"] | {
            "from"
        }  # "What's the list from Monday?"
        if meaning.bare and (meaning.ahead or meaning.kind == "range") and not belongs:
            return Restriction(meaning.ahead or windows, "event")
        if open_end or governing.tense == "ahead":
            return Restriction(windows, "event")
    if governing.tense == "open" and outer is not None and not governing.says:
        if not meaning.bare and windows[-1].end < today:
            # "What did you advise me to do two days ago?", "What did we plan to do on the Saturday after 28 October?"
            return Restriction(windows, "either")
        return Restriction(windows, "event")
    if outer is not None and not governing.says and governing.tense == "past":
        return Restriction(windows, "event")
    return Restriction(windows, "said" if governing.says else "either")


def _governing(
    tokens: Sequence[Token], found: Found, verbs: Sequence[Verb], lexicon: TimeLexicon
) -> tuple[Verb | None, Verb | None]:
    """The verb that an expression belongs to, and the verb of saying whose content that is.

    The nearest verb before it in its sentence, else the first one after it."""
    span = sentence(tokens, found.first, found.last)
    here = [verb for verb in verbs if verb.at in span]
    left = [verb for verb in here if verb.at < found.first]
    if not left:
        ranked = sorted(here, key=lambda verb: (not verb.says, verb.tense != "past"))
        return (ranked[0] if ranked else None), None
    nearest = left[-1]
    if nearest.tense == "open" and len(left) > 1 and left[-2].tense in ("now", "ahead") and not left[-2].says:
        inner = {token.form for token in tokens[left[-2].at + 1 : nearest.at]}
        if inner & lexicon.context["infinitive"] or nearest.at == left[-2].at + 1:  # "have to get up", "quiero ir"
            return replace(nearest, tense="ahead", asks=False), None
    if nearest.says:
        return nearest, None
    for verb in reversed(left[:-1]):
        between = {token.form for token in tokens[verb.at + 1 : nearest.at]}
        if between & lexicon.context["when"]:
            return nearest, None
        if verb.says and verb.tense == "past":
            return nearest, verb
    return nearest, None


def _is_habit(tokens: Sequence[Token], found: Found, verbs: Sequence[Verb], lexicon: TimeLexicon) -> bool:
    """Whether a sentence without a past tells what is always so: "What do we always do at Christmas?"."""
    span = sentence(tokens, found.first, found.last)
    habit = any(tokens[i].form in lexicon.context["habit"] for i in span)
    return habit and not any(verb.tense == "past" for verb in verbs if verb.at in span)


def _is_named(tokens: Sequence[Token], found: Found, lexicon: TimeLexicon) -> bool:
    """Whether an expression is part of a name: "Saturday Night Fever", "Rua 25 de Março"."""
    before = tokens[found.first - 1] if found.first else None
    after = tokens[found.last] if found.last < len(tokens) else None
    if before is not None and before.form in lexicon.context["namers"]:
        return True
    if _is_title(tokens, found, lexicon) or _is_number(tokens, found, lexicon):
        return True
    inner = tokens[found.first : found.last]
    capital = any(token.text[:1].isupper() for token in inner)
    meaning = found.meaning
    lone = meaning is not None and meaning.lone
    if lone and capital and _is_one_of_names(tokens, found, lexicon):
        return True
    if lone and capital and before is not None and found.first > 1 and _is_name(before, lexicon):
        return True
    if after is not None and after.form in lexicon.context["namers_after"]:
        return True
    return capital and lone and after is not None and _is_name(after, lexicon)


def _is_title(tokens: Sequence[Token], found: Found, lexicon: TimeLexicon) -> bool:
    """Whether words that a sentence writes small are capital: "Last Night in Soho", "O Último Verão".

    A proper noun ("Last Sunday") makes it the writer's habit, unless a name stands beside it."""
    others = [token for token in (*tokens[1 : found.first], *tokens[found.last :]) if token.text.isalpha()]
    if 2 * sum(token.text[:1].isupper() for token in others) > max(len(others), 1):
        return False  # all of the question is written so
    proper: set[int] = set()
    for i in range(found.first, found.last):
        for category, last, _ in terminals(list(tokens), i, lexicon.language):
            if category in _PROPER or (category in _PROPER_IN_ENGLISH and lexicon.language == "en"):
                proper.update(range(i, last))
    capital = [
        i
        for i in range(max(found.first, 1), found.last)
        if tokens[i].text.istitle() and len(tokens[i].text) > 1 and i not in proper and tokens[i - 1].form.isalnum()
    ]
    if not capital:
        return False
    after = tokens[found.last] if found.last < len(tokens) else None
    return not proper or (after is not None and _is_name(after, lexicon))


def _is_number(tokens: Sequence[Token], found: Found, lexicon: TimeLexicon) -> bool:
    """Whether figures answer a question for a number: "What's the combination, 7-21-13?"."""
    if any(token.form.isalpha() for token in tokens[found.first : found.last]):
        return False
    return any(tokens[i].form in lexicon.context["numbered"] for i in sentence(tokens, found.first, found.last))


def _is_one_of_names(tokens: Sequence[Token], found: Found, lexicon: TimeLexicon) -> bool:
    """ "Friday or Crusoe": whether "or" joins a time to a name."""
    if found.last + 1 >= len(tokens) or tokens[found.last].form not in _OR:
        return False
    return _is_name(tokens[found.last + 1], lexicon) and not any(
        terminals(list(tokens), found.last + 1, lexicon.language)
    )


def _is_name(token: Token, lexicon: TimeLexicon) -> bool:
    return token.text[:1].isupper() and token.form not in lexicon.function and token.form.isalpha()


def _has_unknown_event(tokens: Sequence[Token], found: Found, lexicon: TimeLexicon) -> bool:
    """ "the Monday before the wedding", "the summer of my divorce": what is told from an unknown event."""
    if _has_unknown_end(tokens, found, lexicon):
        return True
    if found.last >= len(tokens) or found.meaning is None:
        return False
    after = tokens[found.last].form
    if found.meaning.bare and after in lexicon.context["before_after"]:
        return True
    if lexicon.language != "en":  # "de" is "about", too: "el lunes de mi jefa"
        articles = {token.form for token in tokens[found.first : found.last]} & lexicon.context["articles"]
        kind = found.meaning.kind in ("weekend", "season")
        return found.meaning.bare and kind and bool(articles) and after in lexicon.context["of"]
    wide = found.meaning.kind in ("weekend", "season", "this", "place", "part", "day", "month")
    return found.meaning.bare and wide and after in lexicon.context["of"]


def _has_unknown_end(tokens: Sequence[Token], found: Found, lexicon: TimeLexicon) -> bool:
    """ "between last Monday and the wedding": one end of a range whose other end is no time."""
    before = [token.form for token in tokens[max(0, found.first - _RANGE) : found.first]]
    if before and before[-1] in lexicon.context["between"]:
        return True
    if not before or before[-1] not in _AND or lexicon.context["between"].isdisjoint(before):
        return False
    return not any(form.isdecimal() or form in NUMBERS[lexicon.language] for form in before)  # "between 3 and 5 pm on"


def _may_be_alone(tokens: Sequence[Token], found: Found, governing: Verb | None, lexicon: TimeLexicon) -> bool:
    """Whether a weekday without a preposition ("what did I say Monday about …") is a time."""
    context = lexicon.context
    before = tokens[found.first - 1].form if found.first else ""
    after = tokens[found.last].form if found.last < len(tokens) else ""
    meaning = found.meaning
    if meaning is not None and meaning.kind == "just now":  # "me dijiste recién", no "recién casados"
        near = (
            {governing.at} & {found.first - 1, *range(found.last, found.last + 3)} if governing is not None else set()
        )
        return bool(near)
    if meaning is not None and meaning.kind == "lately":  # "What happened lately?" is too vague for a window
        describes = before in context["possessives"] | context["determiners"]
        return not describes and governing is not None and governing.says
    if meaning is not None and meaning.kind == "clock":
        told = context["of"] | context["before_after"]
        return after not in told and governing is not None and governing.says and governing.tense == "past"
    numbered = meaning is not None and meaning.kind == "day of month" and before in _OR and found.first > 1
    if numbered and tokens[found.first - 2].form.isdecimal():  # "el 3 o el 13"
        return False
    if before in context["possessives"] | context["determiners"] | context["of"] | context["about"]:
        return False
    if after in context["of"] and tokens[found.last - 1].form in context.get("also_nouns", frozenset()):
        return False
    return not after or not after.isalnum() or _is_link(tokens[found.last], lexicon)


def _is_link(token: Token, lexicon: TimeLexicon) -> bool:
    """Whether a word begins or continues a clause: no noun that a time would describe."""
    return (
        token.form in lexicon.function
        or is_verb(token.text.casefold(), lexicon.language)
        or token.form in lexicon.context["about"]
        or token.text[:1].isupper()
    )


def _is_attribute(tokens: Sequence[Token], found: Found, lexicon: TimeLexicon, meaning: Meaning) -> bool:
    """Whether a time belongs to a noun: "my Monday shirt", "Monday's meeting", "la reunión del lunes"."""
    context = lexicon.context
    before = tokens[found.first - 1].form if found.first else ""
    first = tokens[found.first].form
    after = tokens[found.last] if found.last < len(tokens) else None
    noun_follows = after is not None and after.form.isalpha() and not _is_link(after, lexicon)
    if lexicon.language == "en":
        if tokens[found.last - 1].form == "'s" and after is not None:
            return after.form not in context["conversation"]
        if meaning.bare and before in context["possessives"] | {"the", "a"} and noun_follows:
            return True
        if first == "from" and meaning.kind == "year":
            return before not in context["conversation"]
    elif (
        first in context["of"]
        and before.isalpha()
        and (meaning.bare or meaning.kind == "year")
        and meaning.kind != "range"
    ):
        return before not in context["conversation"] and before not in lexicon.function
    return meaning.kind == "year" and noun_follows
