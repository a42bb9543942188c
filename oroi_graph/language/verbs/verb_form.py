"""What is known of one verb form."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VerbForm:
    """`third`: the third person singular of the same tense. `person`: 1 to 3, 4 to 6 for plurals, 0 for none
    (participle, gerund, infinitive) or unknown.

    `tense` of English forms: base, s, past, part, ing; of the others: present, past, imperfect, future, part,
    gerund, infinitive."""

    lemma: str
    tense: str
    third: str
    person: int = 0
