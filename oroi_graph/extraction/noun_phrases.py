"""Noun phrases: determiners, possessors, nouns and names, and what "of" joins to them."""

from __future__ import annotations

from oroi_graph.extraction.named_entities import closed_words, is_fronted, is_unknown_verb
from oroi_graph.extraction.phrases import MAX_LABEL_WORDS, Chunk, Cursor, is_generic_gerund, is_of_date, noun_phrase
from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import NOUNS_TOO, english_verb
from oroi_graph.language.verbs.forms import verb as romance_verb

_SO = word_set("so pues portanto")
NAMING = word_set("named called llamado llamada llamados llamadas chamado chamada chamados chamadas")  # before a name


class NounPhrases(Cursor):
    """Reads the noun phrase that begins where the cursor stands."""

    def _noun_phrase(self) -> None:
        start = self.i
        owner = article = ""
        owned = ""
        while (low := self._peek().low) in self.lexicon.determiners or low in self.lexicon.possessives:
            if low in self.lexicon.possessives:
                owner, owned = self.lexicon.possessives[low], low
                article = ""
            else:
                article = article or low
            self.i += 1
        if self._peek().kind == "date" and self.i > start and not owned:
            return  # "el 3 de marzo": the date makes its own chunk
        body = self._body(start)
        if not body:
            if self.i == start:
                self._add("adv")
            else:
                self.out.append(Chunk("pron", owned or article))
            return
        chunk = noun_phrase(body, owner, owned, article, self.language, first=start == 0)
        self.out.append(chunk)
        self._possessor(chunk)
        self._of()

    def _body(self, start: int) -> list[Token]:
        body: list[Token] = []
        while len(body) < 9:
            token = self._peek()
            if token.kind in ("name", "value"):
                if body and (body[-1].kind == token.kind == "name"):
                    break
                # "my brother Luis" is apposition, but a brand goes with its noun
                courteous = token.low.split(" ", 1)[0] in self.lexicon.courtesy
                if token.kind == "name" and body and (courteous or not self._brand(body)):
                    break
                if token.kind == "value" and body and body[-1].kind == "name":
                    break
                body.append(token)
            elif token.kind == "word" and self._nominal(token, body, start):
                body.append(token)
            else:
                break
            self.i += 1
        return body

    def _brand(self, body: list[Token]) -> bool:
        if self.lexicon.romance:
            return not self._owned_before(body)
        following = self._peek(1)
        return (
            following.kind == "word" and following.low not in closed_words("en") and english_verb(following.low) is None
        )

    def _owned_before(self, body: list[Token]) -> bool:
        at = self.i - len(body) - 1
        return at >= 0 and self.words[at].low in self.lexicon.possessives

    def _nominal(self, token: Token, body: list[Token], start: int) -> bool:
        low, lexicon = token.low, self.lexicon
        if low in NAMING and self._peek(1).kind == "name":
            return False
        if (
            body
            and self.language == "en"
            and (is_generic_gerund(low) or (low.endswith("ed") and body[-1].low.endswith("s")))
        ):
            return False
        if low in lexicon.grammatical or (low in lexicon.adverbs and low not in lexicon.evaluative):
            return False
        if low.endswith(("ly", "mente")) and len(low) > 5 and low not in {"family", "assembly", "reply", "italy"}:
            return False
        if low in lexicon.interjections and low not in lexicon.evaluative:
            return False
        determined = self.i > start and not body
        if lexicon.romance:
            form = romance_verb(low, self.language)
            if body and body[-1].kind == "value":
                return True
            if form is None:
                verbless = not body or not (self._subject_position(start) or is_fronted(self.words, self.i, lexicon))
                return verbless or not is_unknown_verb(self.words, self.i, lexicon)
            after_verb = form.person == 1 and low.endswith("o") and bool(self.out) and self.out[-1].kind == "verb"
            return determined or after_verb or form.tense == "part" or (form.tense == "infinitive" and not body)
        verb = english_verb(low)
        if determined or verb is None:
            return not (
                body
                and body[-1].kind == "name"
                and low.endswith("s")
                and not low.endswith("ss")
                and len(body) == 1
                and start != self.i - 1
                and self._subject_position(start)
            )
        if verb.lemma in {"be", "have", "do"}:
            return False
        if body and verb.tense in {"s", "past", "part"}:
            return verb.lemma in NOUNS_TOO and not self._subject_position(start)
        if body and body[-1].kind == "name" and self._subject_position(start):
            return False
        if verb.tense == "past" and not body:
            return False
        return not (verb.tense == "base" and low not in NOUNS_TOO)

    def _subject_position(self, start: int) -> bool:
        for i in reversed(range(len(self.out))):
            if self.out[i].text.casefold() in _SO and i and self.out[i - 1].kind == "comma":
                return True  # "…, so the dog sleeps in the hall"
            if self.out[i].kind in ("comma", "and", "but", "np", "adv", "date") or is_of_date(self.out, i):
                continue
            return self.out[i].kind not in ("verb", "prep")
        return True

    def _possessor(self, chunk: Chunk) -> None:
        """ "Ana's brother": the phrase so far owns what follows."""
        if self._peek().kind != "poss":
            return
        mark = self._peek().text
        self.i += 1
        body = self._body(self.i - 1)
        if not body:
            return
        head = noun_phrase(body, "", "", "", self.language, first=False)
        chunk.inner = [chunk.label] if chunk.concept == "name" else chunk.inner
        owner = chunk.label
        chunk.owner, chunk.head, chunk.concept = owner, head.label, "concept"
        chunk.label = f"{owner}{mark} {head.label}" if head.label else owner
        chunk.text = chunk.label

    def _predicate(self, chunk: Chunk) -> bool:
        """ "está divorciado de Noelia": the adjective belongs to the verb."""
        before = self.out[-2] if len(self.out) > 1 else None
        bare = not chunk.article and not chunk.owner and " " not in chunk.label
        form = romance_verb(chunk.label, self.language) if bare and self.lexicon.romance else None
        return before is not None and before.lemma in {"estar", "ser"} and form is not None and form.tense == "part"

    def _of(self) -> None:
        """ "capital of Australia", "hermano de Ana": joined while short, the last part named within."""
        chunk = self.out[-1]
        if self._peek().low not in self.lexicon.of or chunk.concept != "concept" or self._predicate(chunk):
            return
        if not chunk.label:
            if not self.lexicon.romance:  # "a bit of", "lots of"
                self.out.pop()
                self.i += 1
            return
        if self._peek().kind != "word" or self._peek(1).kind in ("date", "value", "clock"):
            return
        mark = self.i
        link = [self._peek().text]
        self.i += 1
        while self._peek().low in self.lexicon.determiners:
            link.append(self._peek().text)
            self.i += 1
        owned = self._peek().low in self.lexicon.possessives
        if owned:
            link.append(self._peek().text)
            self.i += 1
        body = self._body(mark)
        inner = noun_phrase(body, "", "", "", self.language, first=False) if body else None
        words = len(chunk.label.split()) + (len(inner.label.split()) if inner else 9)
        if inner is None or not inner.label or inner.concept == "value" or words > MAX_LABEL_WORDS:
            self.i = mark
            return
        possessed = self._possessed(words) if self._peek().kind == "poss" else ""
        if inner.concept == "name":
            chunk.inner.append(inner.label)
            if self.lexicon.romance and not chunk.owner:
                chunk.owner, chunk.head = inner.label, chunk.label
        chunk.label = " ".join([chunk.label, *link, inner.label]) + possessed

    def _possessed(self, words: int) -> str:
        """What belongs to the owner in "husband of my daughter's coach": "'s coach", if the label stays short."""
        mark, start = self._peek().text, self.i
        self.i += 1
        body = self._body(self.i - 1)
        head = noun_phrase(body, "", "", "", self.language, first=False) if body else None
        while head is not None and not head.label and len(body) > 1:  # "the desk neighbour use": a verb, asked for
            body.pop()
            self.i -= 1
            head = noun_phrase(body, "", "", "", self.language, first=False)
        if head is None or not head.label or words + len(head.label.split()) > MAX_LABEL_WORDS:
            self.i = start
            return ""
        return f"{mark} {head.label}"
