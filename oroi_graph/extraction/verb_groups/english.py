"""English verb groups: "have been living", "doesn't want to learn", "used to live"."""

from __future__ import annotations

from oroi_graph.extraction.named_entities import closed_words
from oroi_graph.extraction.phrases import PARTICLES, Chunk, Cursor, english_relation, is_generic_gerund
from oroi_graph.language.lexicons.by_language import ACTIVITIES
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import NOUNS_TOO, english_verb
from oroi_graph.language.verbs.verb_form import VerbForm

_INTENTIONS = word_set("going trying planning hoping wanting learning starting beginning")
_TAKES_ING = word_set("start stop keep begin finish try love like enjoy hate practice consider go quit")


class EnglishGroups(Cursor):
    """Finds the verb group that begins where the cursor stands."""

    def _loose_gerund(self) -> bool:
        """ "people … waving flags": says what somebody does on the side."""
        if not self.out or self.out[-1].kind not in ("np", "comma", "and"):
            return False
        return self._peek().kind == "word" and is_generic_gerund(self._peek().low) and self._object_follows(1)

    def _english_infinitive(self) -> bool:
        """ "to see (Ana)", "of joining (a team)": a verb whose subject and truth are not stated."""
        following, low = self._peek(1), self._peek().low
        verb = english_verb(following.low)
        if verb is None:
            return False
        last = next((c.lemma for c in reversed(self.out) if c.kind == "verb"), "")
        infinitive = low == "to" and verb.tense == "base" and not (last in {"go", "come"} and verb.lemma == "work")
        gerund = (
            low in self.lexicon.prepositions
            and verb.tense == "ing"
            and (following.low not in ACTIVITIES or self._object_follows(2))
        )
        if infinitive or gerund:
            self._add("inf", 2)
        return infinitive or gerund

    def _finite_english(self, ahead: int = 0) -> VerbForm | None:
        token = self._peek(ahead)
        if token.kind != "word":
            return None
        low = token.low
        verb = english_verb(low)
        before = next((c for c in reversed(self.out) if c.kind not in ("adv", "neg")), None)
        subject = before is not None and before.kind in ("np", "pron")
        if (
            low == "like"
            and before is not None
            and before.kind == "np"
            and before.concept != "name"
            and not before.owner
        ):
            return None  # "flavours like chocolate"
        if verb is not None:
            if verb.lemma in {"be", "have", "do"} and verb.tense in {"base", "s", "past"}:
                return verb
            if verb.tense in {"ing", "part"} or not self._waits_for_verb():
                return None
            pasts_too = verb.third == low and subject
            if verb.tense == "base" and low in NOUNS_TOO and not pasts_too and not self._plural_subject(before):
                return None
            return verb
        if subject and before is not None and low not in closed_words("en"):
            named = before.concept == "name" or before.text.casefold() in {"he", "she", "it"}
            if low.endswith("ed") or (named and low.endswith("s") and not low.endswith("ss")):
                return VerbForm(low, "past" if low.endswith("ed") else "s", low)
            if before.text.casefold() in {"i", "we", "they", "you"} and low.isalpha():
                return VerbForm(low, "base", f"{low}s")
        return None

    @staticmethod
    def _plural_subject(before: Chunk | None) -> bool:
        if before is None:
            return False
        if before.kind == "pron":
            return before.text.casefold() in {"i", "we", "you", "they", "who", "that"}
        return before.kind in ("sub", "and", "but") or (
            before.kind == "np" and (before.text.endswith("s") or before.concept == "name")
        )

    def _english_group(self) -> bool:
        token = self._peek()
        if token.kind != "word":
            return False
        start, negated, no_longer = self.i, False, False
        words: list[str] = []
        lexicon = self.lexicon
        while (low := self._peek().low) in lexicon.negations | {
            "also",
            "just",
            "still",
            "now",
            "really",
            "always",
            "recently",
        }:
            negated |= low in lexicon.negations
            no_longer |= low == "no-longer"
            self.i += 1
        verb = self._finite_english()
        if verb is None and self._peek().low not in lexicon.modals:
            self.i = start
            return False
        while True:
            here = self._peek()
            low = here.low
            if low in lexicon.negations:
                negated = True
                no_longer |= low == "no-longer"
            elif low in lexicon.adverbs and words and self._verbal(1, words):
                pass
            elif here.kind == "word" and (not words or self._verbal(0, words)):
                words.append(low)
                self._chain(words)
            elif (low in PARTICLES and words and words[-1] not in lexicon.modals) or self._takes_place(words):
                words.append(low)
                self.i += 1
                break
            else:
                break
            self.i += 1
        self.out.append(english_relation(words, self.words[start : self.i], negated=negated, no_longer=no_longer))
        return True

    def _takes_place(self, words: list[str]) -> bool:
        """ "The wedding takes place in …": one verb."""
        last = english_verb(words[-1]) if words else None
        return last is not None and last.lemma == "take" and self._peek().low == "place"

    def _verbal(self, ahead: int, words: list[str]) -> bool:
        """Whether the next word continues the verb group begun by `words`."""
        token, last = self._peek(ahead), words[-1]
        if token.kind != "word":
            return False
        verb, low = english_verb(token.low), token.low
        last_verb = english_verb(last)
        if last in {"do", "does", "did"} and len(words) == 1 and self._peek(ahead - 1).low == last:
            return verb is not None and verb.tense == "base"  # "I do like it"; but "does yoga"
        if last == "to" or last in self.lexicon.modals or (last in {"do", "does", "did"} and len(words) == 1):
            return verb is not None or (low not in closed_words("en") and low.isalpha())
        if last_verb is None or verb is None:
            return (
                low.endswith(("ed", "ing"))
                and len(low) > 4
                and last_verb is not None
                and last_verb.lemma == "be"
                and low not in self.lexicon.evaluative
            )
        if last_verb.lemma == "be":
            return verb.tense in {"ing"} or low == "been" or (verb.tense in {"part", "past"} and low != "left")
        if last_verb.lemma == "have":
            return verb.tense in {"part", "past"} and (low not in NOUNS_TOO or low == "read")
        if verb.tense == "ing" and last_verb.lemma in _TAKES_ING and ahead == 0:
            told = self._peek(1).low in self.lexicon.prepositions and last_verb.lemma in {"start", "begin"}
            return last in {"stopped", "quit"} or told or self._object_follows(1)
        return False

    def _chain(self, words: list[str]) -> None:
        """Take "to" along where a verb follows it: wants to | learn; used to | live."""
        after, then = self._peek(1), self._peek(2)
        gerund = words[-1].endswith("ing") and words[-1] not in _INTENTIONS
        if after.low == "to" and then.kind == "word" and words[-1] not in self.lexicon.modals and not gerund:
            verb = english_verb(then.low)
            if verb is not None and verb.tense == "base":
                words.append("to")
                self.i += 1
