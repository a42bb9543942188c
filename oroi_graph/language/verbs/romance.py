"""How Spanish and Portuguese verbs are conjugated: one procedure over the tables of each.

The tables are in the lexicons' data files. A regular verb is its infinitive, with the change that its stem undergoes
("contar:ue"). An irregular one lists its forms: "present (6) / preterite (6) / imperfect (6) / participle / gerund"; a
tense left empty is regular. Forms joined by "|" are variants of one person ("falamos|falámos").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from oroi_graph.language.lexicons.tables import entries, table, tables, text, words
from oroi_graph.language.verbs.verb_form import VerbForm

Change = tuple[str, str]
_TENSES = ("present", "past", "imperfect")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Conjugation:
    """One language's verbs.

    `endings`: present, preterite, imperfect (six forms each), participle and gerund, by the infinitive's ending;
    `future`: its endings. `before_e` (verbs in "ar"), `before_o` (the others): how the end of a stem is written there,
    so that its sound stays; `hiatus`: "leyó" and "leído" between vowels. `changes`: by their name, the last letter that
    changes under stress and what it becomes; `first_only`: those that only "I" has; `weak`: those (with or without
    ":ending") that reach the preterite's third persons and the gerund as well, where the letter becomes "i". `wins`:
    the verb that keeps the forms it shares with others ("fui" is of "ir"). `lasting`: verbs of what goes on, whose
    "we" is the present where past and present are one form ("vivimos en Toledo"). `nouns`: finite forms that are far
    more often something else."""

    regular: tuple[tuple[str, str], ...]  # infinitive, change
    irregular: tuple[tuple[str, str], ...]  # infinitive, forms
    endings: Mapping[str, tuple[str, ...]]
    future: str
    participles: Mapping[str, str]
    changes: Mapping[str, Change]
    before_e: tuple[Change, ...]
    before_o: tuple[Change, ...]
    hiatus: bool
    nouns: frozenset[str]
    lasting: frozenset[str]
    wins: str
    weak: frozenset[str]
    first_only: frozenset[str]
    kinds: Mapping[str, str]  # of infinitives whose ending is written otherwise

    def spelled(self, stem: str, ending: str, kind: str) -> str:
        """A stem and an ending as the language writes them: busqué, cojo, conheço, leyó. kind: the infinitive's end."""
        changes = self.before_e if kind == "ar" and ending[0] in "eé" else ()
        if kind != "ar" and ending[0] == "o":
            changes = self.before_o
        for old, new in changes:
            if stem.endswith(old):
                return stem.removesuffix(old) + new + ending
        if self.hiatus and kind != "ar" and stem[-1] in "aeo":
            ending = f"y{ending[1:]}" if ending[:2] in ("ió", "ie") else "ído" if ending == "ido" else ending
        return stem + ending


def read_conjugation(language: str) -> Conjugation:
    """The verbs in the data file of `language`."""
    rows = table(tables(language), "verbs")
    return Conjugation(
        regular=tuple(_pairs(sorted(words(rows, "regular")))),
        irregular=tuple(entries(rows, "irregular")),
        endings={kind: tuple(forms.split(" / ")) for kind, forms in entries(rows, "endings")},
        future=text(rows, "future"),
        participles=dict(entries(rows, "participles")),
        changes=dict(
            zip(table(rows, "changes"), _pairs(change for _, change in entries(rows, "changes")), strict=True)
        ),
        before_e=tuple(_pairs(text(rows, "before_e").split())),
        before_o=tuple(_pairs(text(rows, "before_o").split())),
        hiatus=rows["hiatus"] is True,
        nouns=words(rows, "nouns"),
        lasting=words(rows, "lasting"),
        wins=text(rows, "wins"),
        weak=words(rows, "weak"),
        first_only=words(rows, "first_only"),
        kinds=dict(entries(rows, "kinds")),
    )


def _pairs(entries: Iterable[str]) -> Iterator[tuple[str, str]]:
    """ "contar:ue" → ("contar", "ue"); "" where nothing follows."""
    return ((first, second) for first, _, second in (entry.partition(":") for entry in entries))


def conjugate(language: Conjugation) -> dict[str, VerbForm]:
    """Every form of a language's verbs, to its reading."""
    table: dict[str, VerbForm] = {}
    for infinitive, change in language.regular:
        _enter_regular(table, language, infinitive, change)
    for infinitive, forms in sorted(language.irregular, key=lambda entry: entry[0] == language.wins):
        *tenses, part, gerund = forms.split("/")
        endings = language.endings[language.kinds.get(infinitive, infinitive[-2:])]
        for tense, given, regular in zip(_TENSES, tenses, endings[:3], strict=True):
            said = given.split() or [_joined(infinitive[:-2], ending) for ending in regular.split()]
            _enter_tense(table, infinitive, tense, said)
        _enter_bare(table, infinitive, part, gerund)
    return table


def stressed(stem: str, change: Change | None) -> str:
    """The stem after a change: pens → piens, cost → cuest, ped → pid, conoc → conozc."""
    if change is None:
        return stem
    old, new = change
    at = max(stem.rfind(old), stem.rfind("u") if new == "ue" and old not in stem else -1)
    return stem if at < 0 else f"{stem[:at]}{new}{stem[at + 1 :]}"


def _enter_regular(table: dict[str, VerbForm], language: Conjugation, infinitive: str, change: str) -> None:
    kind, stem = infinitive[-2:], infinitive[:-2]
    present, past, imperfect, part, gerund = language.endings[kind]
    rule = language.changes.get(change)
    strong = stressed(stem, rule)
    stems = [strong, strong, strong, stem, stem, strong]
    if change in language.first_only:
        stems = [strong, *[stem] * 5]
    weak = [stem] * 6
    if rule is not None and language.weak & {change, f"{change}:{kind}"}:
        weak[2] = weak[5] = stressed(stem, (rule[0], "i"))

    def forms(bases: list[str], endings: str) -> list[str]:
        return [_joined(base, e, language, kind) for base, e in zip(bases, endings.split(), strict=True)]

    _enter_tense(table, infinitive, "present", forms(stems, present))
    _enter_tense(table, infinitive, "past", forms(weak, past), lasting=infinitive in language.lasting)
    _enter_tense(table, infinitive, "imperfect", forms([stem] * 6, imperfect))
    _enter_tense(table, infinitive, "future", [infinitive + ending for ending in language.future.split()])
    participle = language.participles.get(infinitive) or language.spelled(stem, part, kind)
    _enter_bare(table, infinitive, participle, language.spelled(weak[2], gerund, kind))


def _joined(stem: str, endings: str, language: Conjugation | None = None, kind: str = "") -> str:
    variants = endings.split("|")
    return "|".join(language.spelled(stem, e, kind) if language else stem + e for e in variants)


def _enter_tense(
    table: dict[str, VerbForm], infinitive: str, tense: str, forms: list[str], *, lasting: bool = False
) -> None:
    third = forms[2].split("|")[0]
    for person, variants in enumerate(forms, 1):
        for form in variants.split("|"):
            known = table.get(form)
            if person == 4 and lasting and tense == "past" and known is not None and known.lemma == infinitive:
                continue
            # "hablamos" is present and past: the past is what people mean when they tell something
            if known is None or tense == "past" or known.lemma != infinitive:
                table[form] = VerbForm(infinitive, tense, third, person)


def _enter_bare(table: dict[str, VerbForm], infinitive: str, part: str, gerund: str) -> None:
    table.setdefault(part, VerbForm(infinitive, "part", part))
    table.setdefault(gerund, VerbForm(infinitive, "gerund", gerund))
    table.setdefault(infinitive, VerbForm(infinitive, "infinitive", infinitive))
