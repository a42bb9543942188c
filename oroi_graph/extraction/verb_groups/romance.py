"""Spanish and Portuguese verb groups: "me he mudado", "ya no trabaja", "voy a comprar", "estou morando"."""

from __future__ import annotations

import re

from oroi_graph.extraction.named_entities import is_unknown_verb
from oroi_graph.extraction.phrases import Cursor, romance_relation
from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.verbs.forms import verb, verb_at_start
from oroi_graph.language.verbs.verb_form import VerbForm

_PARTICIPLE = re.compile(r"\w{2,}[aií]do")
_BEFORE_IF = frozenset({"comma", "stop", "and", "but", "hey", "verb"})
_BEFORE_CLAUSE = frozenset({"comma", "stop", "neg", "sub", "and", "but", "hey", "adv", "date", "if"})


class RomanceGroups(Cursor):
    """Finds the verb group that begins where the cursor stands."""

    def _romance_infinitive(self) -> bool:
        """ "para ver (a Ana)": a verb whose subject and truth are not stated."""
        form = verb_at_start(self._peek(1).low, self.language)
        if self._peek().low in self.lexicon.prepositions and form is not None and form.tense == "infinitive":
            self._add("inf", 2)
            return True
        return False

    def _romance_group(self) -> bool:
        start, lexicon = self.i, self.lexicon
        negated = no_longer = False
        clitic = ""
        while (low := self._peek().low) in lexicon.before_verb or low in lexicon.negations:
            negated |= low in lexicon.negations
            no_longer |= low in lexicon.negations and self.i > start and self.words[self.i - 1].low == lexicon.already
            self.i += 1
        while self._peek().low in lexicon.clitics and self._peek().kind == "word":
            following = self._peek(1)
            if self._peek().low in lexicon.conditionals and (not self.out or self.out[-1].kind in _BEFORE_IF):
                break  # Portuguese "se": "if" where a clause begins
            if following.low not in lexicon.clitics and (
                following.kind != "word" or self._not_here(following) or not self._may_be_verb(following)
            ):
                break
            clitic = self._peek().low
            self.i += 1
        form = self._finite_romance(self._peek(), bool(clitic))
        if form is not None and form.tense == "infinitive" and self.out and self.out[-1].kind == "pron":
            form = VerbForm(form.lemma, "hypothetical", form.third, 3)  # Portuguese "se eu ganhar"
        if form is None or form.tense in {"part", "gerund", "infinitive"} or not form.person:
            self.i = start
            return False
        words = [self._peek().low]
        self.i += 1
        while (found := self._continues(words[-1])) is not None:
            words.extend(found)
        said = self.words[start : self.i]
        self.out.append(romance_relation(words, form, said, clitic, lexicon, negated=negated, no_longer=no_longer))
        return True

    def _may_be_verb(self, following: Token) -> bool:
        """Whether the word after a pronoun is known as a verb, or must be one after "le"."""
        if verb_at_start(following.low, self.language) is not None:
            return True
        return self._peek().low in self.lexicon.clitics_third and is_unknown_verb(self.words, self.i + 1, self.lexicon)

    def _not_here(self, following: Token) -> bool:
        """Whether an article stands before a noun that is also a verb: "o trabalho", "la compra"."""
        low = self._peek().low
        if low not in self.lexicon.determiners:
            return False
        if low == "lo" or (low.endswith("s") and not following.low.endswith("s")):
            return False  # no article of this noun: "lo firma Evaristo", "las firma Concha"
        if (
            low in self.lexicon.prepositions or low == "o"
        ):  # Portuguese "o", "a": hardly a pronoun where a clause begins
            return not self.out or self.out[-1].kind not in ("pron", "neg", "sub", "adv", "np")
        return verb(following.low, self.language) is None

    def _finite_romance(self, token: Token, after_clitic: bool) -> VerbForm | None:
        if token.kind != "word":
            return None
        low = token.low
        if self.out and self.out[-1].kind == "prep" and low not in {"es", "é"}:
            return None
        before = self.words[self.i - 1].low if self.i else ""
        clause_start = not self.out or self.out[-1].kind in _BEFORE_CLAUSE
        subject = bool(self.out) and (self.out[-1].concept == "name" or self.out[-1].kind == "pron")
        expected = after_clitic or before in self.lexicon.negations
        if expected or ((clause_start or subject) and low not in self.lexicon.prepositions):
            form = verb_at_start(low, self.language)
        else:
            form = verb(low, self.language)
        if form is not None and form.person == 1 and low.endswith("o") and not after_clitic and self._follows_verb():
            return None  # "practica tiro con arco": no "I" right after a verb
        due = form is None and self._waits_for_verb() and (after_clitic or self._subject_stands())
        if due and is_unknown_verb(self.words, self.i, self.lexicon):
            known = verb_at_start(low, self.language)
            return known or VerbForm(low, "present", low, 6 if low.endswith(("n", "m")) else 3)
        return form

    def _follows_verb(self) -> bool:
        return bool(self.out) and self.out[-1].kind == "verb"

    def _subject_stands(self) -> bool:
        """Whether the last chunk is a subject that has no verb yet."""
        return bool(self.out) and self.out[-1].kind == "np" and bool(self.out[-1].label)

    def _continues(self, last: str) -> list[str] | None:
        """The words that continue a verb group: participle, gerund, infinitive (with "a", "que")."""
        token, lexicon = self._peek(), self.lexicon
        form = verb_at_start(token.low, self.language) if token.kind == "word" else None
        lemma = getattr(verb_at_start(last, self.language), "lemma", "")
        if form is not None:
            auxiliary = lexicon.auxiliaries.get(form.tense)
            by = lexicon.contractions.get(self._peek(1).low, self._peek(1).low) == "por"
            if form.tense == "part" and lemma == "ser" and by:  # "es cuidada por Ana"
                auxiliary = frozenset({"ser"})
            if (auxiliary and lemma in auxiliary) or (form.tense == "infinitive" and lemma not in {"ser", "estar"}):
                self.i += 1
                return [token.low]
        elif token.kind == "word" and _PARTICIPLE.fullmatch(token.low) and lemma == "haber":
            self.i += 1  # of a verb that no table holds: "he afilado"
            return [token.low]
        following = self._peek(1)
        form = verb_at_start(following.low, self.language) if following.kind == "word" else None
        if token.low in lexicon.verb_links and form is not None and form.tense == "infinitive":
            self.i += 2
            return [token.low, following.low]
        return None
