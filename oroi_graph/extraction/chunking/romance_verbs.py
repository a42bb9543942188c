"""Spanish and Portuguese verb groups: "me he mudado", "ya no trabaja", "voy a comprar", "estou morando"."""

from __future__ import annotations

import re

from oroi_graph.extraction.chunking.chunk import Chunk, Cursor
from oroi_graph.extraction.named_entities import is_unknown_verb
from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.forms import third_person, verb, verb_at_start
from oroi_graph.language.verbs.verb_form import VerbForm

_PARTICIPLE = re.compile(r"\w{2,}[aií]do")
_STOPPING = word_set("dejar deixar parar")
_UNBEARABLE = word_set("soportar aguantar suportar aguentar")  # "no soporta" states a dislike
_REFLEXIVE = {("me", 1), ("nos", 4), ("te", 2), ("os", 5)}


def read_infinitive(cursor: Cursor) -> bool:
    """Read "para ver (a Ana)": a verb without a stated subject. False if none stands next."""
    form = verb_at_start(cursor.peek(1).low, cursor.language)
    if cursor.peek().low in cursor.lexicon.prepositions and form is not None and form.tense == "infinitive":
        cursor.add("inf", 2)
        return True
    return False


def read_verb_group(cursor: Cursor) -> bool:
    """Read the verb group that stands next. False, with the cursor unmoved, if there is none."""
    start, lexicon = cursor.i, cursor.lexicon
    negated = False
    while (low := cursor.peek().low) in lexicon.before_verb or low in lexicon.negations:
        negated |= low in lexicon.negations
        cursor.i += 1
    clitic = _read_clitics(cursor)
    form = _finite(cursor, bool(clitic))
    if form is not None and form.tense == "infinitive" and cursor.follows("pron"):
        form = VerbForm(form.lemma, "hypothetical", form.third, 3)  # Portuguese "se eu ganhar"
    if form is None or form.tense in {"part", "gerund", "infinitive"} or not form.person:
        cursor.i = start
        return False
    words = [cursor.peek().low]
    cursor.i += 1
    while (found := _read_further(cursor, words[-1])) is not None:
        words.extend(found)
    said = cursor.words[start : cursor.i]
    chunk = Chunk("verb", " ".join(t.text for t in said), negated=negated, clitic=clitic)
    _set_meaning(chunk, words, form, said, lexicon)
    cursor.out.append(chunk)
    return True


def _read_clitics(cursor: Cursor) -> str:
    """Read the pronouns before a verb; returns the last one, "" if there is none."""
    lexicon, clitic = cursor.lexicon, ""
    while (token := cursor.peek()).low in lexicon.clitics and token.kind == "word":
        following = cursor.peek(1)
        begins = not cursor.out or cursor.follows("comma", "stop", "and", "but", "interjection", "verb")
        if token.low in lexicon.conditionals and begins:
            break  # Portuguese "se" is "if" at the beginning of a clause
        verbal = following.kind == "word" and not _is_article(cursor, following) and _can_be_verb(cursor, following)
        if following.low not in lexicon.clitics and not verbal:
            break
        clitic = token.low
        cursor.i += 1
    return clitic


def _can_be_verb(cursor: Cursor, following: Token) -> bool:
    """Whether the word after a pronoun is a known verb, or must be an unknown one after "le"."""
    if verb_at_start(following.low, cursor.language) is not None:
        return True
    third = cursor.peek().low in cursor.lexicon.clitics_third
    return third and is_unknown_verb(cursor.words, cursor.i + 1, cursor.lexicon)


def _is_article(cursor: Cursor, following: Token) -> bool:
    """Whether the next word is an article before a noun that looks like a verb: "o trabalho", "la compra"."""
    low = cursor.peek().low
    if low not in cursor.lexicon.determiners:
        return False
    if low == "lo" or (low.endswith("s") and not following.low.endswith("s")):
        return False  # an article would agree: "lo firma Evaristo", "las firma Concha"
    if low in cursor.lexicon.prepositions or low == "o":  # Portuguese "o" and "a" rarely are pronouns here
        return not cursor.follows("pron", "neg", "sub", "adv", "np")
    return verb(following.low, cursor.language) is None


def _finite(cursor: Cursor, after_clitic: bool) -> VerbForm | None:
    """The next word as a verb form, read more freely where a verb is expected."""
    token, lexicon = cursor.peek(), cursor.lexicon
    low = token.low
    if token.kind != "word" or (cursor.follows("prep") and low not in {"es", "é"}):
        return None
    before = cursor.words[cursor.i - 1].low if cursor.i else ""
    clause_start = not cursor.out or cursor.follows(
        "comma", "stop", "neg", "sub", "and", "but", "interjection", "adv", "date", "if"
    )
    subject = bool(cursor.out) and (cursor.out[-1].concept == "name" or cursor.follows("pron"))
    expected = after_clitic or before in lexicon.negations
    if expected or ((clause_start or subject) and low not in lexicon.prepositions):
        form = verb_at_start(low, cursor.language)
    else:
        form = verb(low, cursor.language)
    if form is not None and form.person == 1 and low.endswith("o") and not after_clitic and cursor.follows("verb"):
        return None  # "practica tiro con arco": two finite verbs do not follow each other
    subject_waits = cursor.follows("np") and bool(cursor.out[-1].label)
    due = form is None and cursor.expects_verb() and (after_clitic or subject_waits)
    if due and is_unknown_verb(cursor.words, cursor.i, lexicon):
        known = verb_at_start(low, cursor.language)
        return known or VerbForm(low, "present", low, 6 if low.endswith(("n", "m")) else 3)
    return form


def _read_further(cursor: Cursor, last: str) -> list[str] | None:
    """Read what continues a verb group: participle, gerund, infinitive (with "a", "que"). None at its end."""
    token, following, lexicon = cursor.peek(), cursor.peek(1), cursor.lexicon
    form = verb_at_start(token.low, cursor.language) if token.kind == "word" else None
    last_form = verb_at_start(last, cursor.language)
    lemma = last_form.lemma if last_form is not None else ""
    if form is not None:
        auxiliary = lexicon.auxiliaries.get(form.tense, frozenset())
        if form.tense == "part" and lemma == "ser":
            by = lexicon.contractions.get(following.low, following.low) == "por"  # "es cuidada por Ana"
            continues = by or lemma in auxiliary
        else:
            continues = lemma in auxiliary or (form.tense == "infinitive" and lemma not in {"ser", "estar"})
    else:  # a participle that no table holds: "he afilado"
        continues = token.kind == "word" and _PARTICIPLE.fullmatch(token.low) is not None and lemma == "haber"
    if continues:
        cursor.i += 1
        return [token.low]
    form = verb_at_start(following.low, cursor.language) if following.kind == "word" else None
    if token.low in lexicon.verb_links and form is not None and form.tense == "infinitive":
        cursor.i += 2
        return [token.low, following.low]
    return None


def _set_meaning(chunk: Chunk, words: list[str], form: VerbForm, said: list[Token], lexicon: Lexicon) -> None:
    """Set what a verb group says: relation, lemma, tense. A reflexive keeps its "se" ("me mudé" → "se mudó").

    words: the group from its finite verb on; form: that verb; said: all tokens of the group."""
    negated = chunk.negated
    chunk.person, chunk.tense, chunk.lemma = form.person, form.tense, form.lemma
    chunk.relation = " ".join([form.third, *words[1:]])
    last = verb_at_start(words[-1], lexicon.language)
    if last is not None and last.tense == "part" and form.lemma == "ser":
        chunk.active = third_person(last.lemma, lexicon.language, form.tense)
    if last is not None and form.lemma in lexicon.auxiliaries.get(last.tense, ()):
        chunk.lemma = last.lemma
    if form.lemma == "ir" and len(words) > 1:
        chunk.tense = "future"
    if form.lemma in _STOPPING and words[1:2] == ["de"] and last is not None:  # "dejé de trabajar en"
        chunk.relation, chunk.lemma = third_person(last.lemma, lexicon.language), last.lemma
        chunk.negated = not negated
    if negated and chunk.lemma in _UNBEARABLE:
        chunk.relation, chunk.negated = f"{said[0].low} {chunk.relation}", False
    if chunk.clitic == "se" or (chunk.clitic, form.person) in _REFLEXIVE:
        chunk.relation = f"se {chunk.relation}"
