"""What holds for all days and texts: shifted days shift the windows, windows are ordered, nothing raises."""

from __future__ import annotations

from calendar import isleap
from datetime import date, timedelta
from functools import cache
from itertools import chain, pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from oroi_graph.windows import merged, read_windows
from oroi_graph.windows.grammar.lexicon import Rule, time_lexicon

DAYS = st.dates(date(1990, 1, 1), date(2080, 12, 31))
LANGUAGES = ("en", "es", "pt")
# Times that a whole number of weeks moves, and times that a whole number of years does.
OF_THE_WEEK = {
    "en": "yesterday|last Sunday|on Tuesday|two Fridays ago|the Monday before last|last week|this week|three weeks ago|"
    "the past week|last weekend|a few days ago|about two weeks ago|earlier this week|from Tuesday to Thursday|"
    "since Monday|until last Friday|before Wednesday|the beginning of last week|on Monday and on Friday|"
    "three or four days ago|at dawn on Saturday",
    "es": "ayer|el domingo pasado|el martes|hace dos viernes|la semana antepasada|esta semana|hace tres semanas|"
    "el finde pasado|el otro día|de martes a jueves|desde el lunes|hasta el viernes|antes del miércoles|"
    "el lunes y el jueves pasados|hace dos o tres semanas",
    "pt": "ontem|no domingo passado|na terça|há duas sextas|na semana retrasada|esta semana|há três semanas|"
    "no fim de semana passado|no outro dia|de terça a quinta|desde segunda|até sexta|antes de quarta|"
    "na segunda e na quinta passadas|há três ou quatro dias",
}
OF_THE_YEAR = {
    "en": "last month|in March|last December|two months ago|the past three months|since May|before July|in the summer|"
    "last quarter|on 3 May|on Christmas Eve|at the beginning of June|between April and June|in the first week of May|"
    "two years ago|last year|this year|on the 12th|Halloween last year|in the first and third weeks of June|"
    "after Halloween but before New Year",
    "es": "el mes pasado|en marzo|hace dos meses|en los últimos tres meses|desde mayo|antes de julio|el verano pasado|"
    "el trimestre pasado|el 3 de mayo|en Nochebuena|a principios de junio|entre abril y junio|el año antepasado",
    "pt": "no mês passado|em março|há dois meses|nos últimos três meses|desde maio|antes de julho|no verão passado|"
    "no trimestre passado|em 3 de maio|na véspera de Natal|no começo de junho|entre abril e junho|no ano retrasado",
}
ASKED = {"en": "What did I tell you {}?", "es": "¿Qué te dije {}?", "pt": "O que te disse {}?"}


def of(kinds: dict[str, str]) -> st.SearchStrategy[tuple[str, str]]:
    return st.sampled_from([(lang, ASKED[lang].format(said)) for lang in kinds for said in kinds[lang].split("|")])


@settings(deadline=None, max_examples=100)
@given(of(OF_THE_WEEK), DAYS, st.integers(-500, 500))
def test_weeks_later_the_windows_are_weeks_later(asked: tuple[str, str], today: date, weeks: int) -> None:
    language, question = asked
    away = timedelta(weeks=weeks)
    here = read_windows(question, today, language=language).said
    there = read_windows(question, today + away, language=language).said
    assert here
    assert [(w.start if w.start == date.min else w.start + away, w.end + away) for w in here] == [
        (w.start, w.end) for w in there
    ]


@settings(deadline=None, max_examples=100)
@given(of(OF_THE_YEAR), DAYS, st.integers(-40, 40))
def test_years_later_the_windows_are_years_later(asked: tuple[str, str], today: date, years: int) -> None:
    language, question = asked
    today = today.replace(day=min(today.day, 27))  # the last of February stays the last, whichever day that is
    here = read_windows(question, today, language=language).said
    there = read_windows(question, today.replace(year=today.year + years), language=language).said
    assert here
    assert [(later(w.start, years), later(w.end, years)) for w in here] == [(w.start, w.end) for w in there]


def later(day: date, years: int) -> date:
    """The day in another year; the last of February stays the last."""
    if day == date.min:
        return day
    year = day.year + years
    if (day.month, day.day) in ((2, 28), (2, 29)):
        return date(year, 2, 29 if isleap(year) else 28)
    return day.replace(year=year)


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=200), st.sampled_from(LANGUAGES), st.dates())
@example("¿Qué te dije en la mañana, el lunes?", "es", date.min)
@example("𝐅 ℱ 𝐘", "en", date(2000, 1, 1))  # what folds to a capital may not be read as a name of the grammar's own
def test_any_text_on_any_day_is_read(text: str, language: str, today: date) -> None:
    check(text, language, today)


@cache
def grammar(language: str) -> tuple[list[Rule], dict[str, list[str]]]:
    """The rules of a language, and words for each terminal."""
    lexicon = time_lexicon(language)  # type: ignore[arg-type]
    rules = list(dict.fromkeys(rule for opened in lexicon.rules.values() for rule in opened.rules))
    said_by = {"N": ["2", "12", "31", "400"], "D": ["3", "30"], "D2": ["25"], "Y": ["2025", "1999"]}
    said_by |= {"O": ["3rd"], "OD": ["31st"], "ZERO": ["0"]}
    for words, meant in chain.from_iterable(lexicon.phrases.values()):
        for terminal, _ in meant:
            said_by.setdefault(terminal, []).append(" ".join(words))
    return rules, said_by


@st.composite
def generated(draw: st.DrawFn, language: str) -> str:
    """Words that the rules of a language make: what a random derivation says."""
    rules, said_by = grammar(language)

    def derive(rule: Rule, depth: int) -> str:
        parts = []
        for element in rule.elements:
            fit = draw(st.sampled_from(element.fits))
            if not fit[0].isupper():
                parts.append(fit)
            elif fit in said_by:
                parts.append(draw(st.sampled_from(said_by[fit])))
            elif depth:
                parts.append(derive(draw(st.sampled_from(rules)), depth - 1))
        return " ".join(parts)

    return " ".join(derive(draw(st.sampled_from(rules)), 2) for _ in range(draw(st.integers(1, 3))))


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(LANGUAGES).flatmap(lambda lang: st.tuples(st.just(lang), generated(lang))), st.dates())
def test_whatever_the_rules_make_is_read(said: tuple[str, str], today: date) -> None:
    language, text = said
    check(ASKED[language].format(text), language, today)


def check(text: str, language: str, today: date) -> None:
    reading = read_windows(text, today, language=language)
    assert reading.windows == merged(reading.windows)
    assert (reading.refers == "event") == (bool(reading.windows) and not reading.said)
    for window in reading.windows:
        assert window.start <= window.end
    ends = [(e.begin, e.end) for e in reading.expressions]
    assert ends == sorted(ends)
    assert all(before[1] <= after[0] for before, after in pairwise(ends))
    assert all(text[e.begin : e.end] == e.text and e.windows and e.reason for e in reading.expressions)
