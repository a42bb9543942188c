"""Noun phrases: determiners, possessors, nouns and names, and what "of" joins to them."""

from __future__ import annotations

from oroi_graph.extraction.chunking.chunk import MAX_LABEL_WORDS, Chunk, Cursor, belongs_to_date
from oroi_graph.extraction.chunking.english_verbs import is_generic_gerund
from oroi_graph.extraction.chunking.labels import labelled
from oroi_graph.extraction.named_entities import closed_words, is_fronted, is_unknown_verb
from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import NOUNS_TOO, english_verb
from oroi_graph.language.verbs.forms import verb as romance_verb

_MAX_BODY = 9  # tokens
_SO = word_set("so pues portanto")
_NOUNS_IN_LY = word_set("family assembly reply italy")
NAMING = word_set("named called llamado llamada llamados llamadas chamado chamada chamados chamadas")  # before a name


def read_noun_phrase(cursor: Cursor) -> None:
    """Read the noun phrase that stands next; determiners without a noun become a pronoun."""
    start, lexicon = cursor.i, cursor.lexicon
    owner = owned = article = ""
    while (low := cursor.peek().low) in lexicon.determiners or low in lexicon.possessives:
        if low in lexicon.possessives:
            owner, owned, article = lexicon.possessives[low], low, ""
        else:
            article = article or low
        cursor.i += 1
    if cursor.peek().kind == "date" and cursor.i > start and not owned:
        return  # "el 3 de marzo": the date makes its own chunk
    body = _read_body(cursor, start)
    if body:
        chunk = labelled(body, cursor.language, owner, owned, article, first=start == 0)
        cursor.out.append(chunk)
        _read_possessed(cursor, chunk)
        _read_of(cursor, chunk)
    elif cursor.i == start:
        cursor.add("adv")
    else:
        cursor.out.append(Chunk("pron", owned or article))


def _read_body(cursor: Cursor, start: int) -> list[Token]:
    """Read the words of a noun phrase whose determiners begin at token `start`."""
    body: list[Token] = []
    while len(body) < _MAX_BODY:
        token = cursor.peek()
        if token.kind in ("name", "value"):
            after_name = bool(body) and body[-1].kind == "name"
            # "my brother Luis" is apposition, but a brand belongs to its noun
            courteous = token.low.partition(" ")[0] in cursor.lexicon.courtesy
            apposed = token.kind == "name" and bool(body) and (courteous or not _is_brand(cursor, body))
            if after_name or apposed:
                break
        elif token.kind != "word" or not _is_nominal(cursor, token.low, body, start):
            break
        body.append(token)
        cursor.i += 1
    return body


def _is_brand(cursor: Cursor, body: list[Token]) -> bool:
    """Whether a name within a noun phrase describes its noun: "a Bosch drill"."""
    if cursor.lexicon.romance:
        before = cursor.i - len(body) - 1
        return before < 0 or cursor.words[before].low not in cursor.lexicon.possessives
    following = cursor.peek(1)
    return following.kind == "word" and following.low not in closed_words("en") and english_verb(following.low) is None


def _is_nominal(cursor: Cursor, low: str, body: list[Token], start: int) -> bool:
    """Whether the next word, `low`, belongs to the noun phrase read so far."""
    lexicon = cursor.lexicon
    if low in NAMING and cursor.peek(1).kind == "name":
        return False
    if low in lexicon.grammatical:
        return False
    if (low in lexicon.adverbs or low in lexicon.interjections) and low not in lexicon.evaluative:
        return False
    if low.endswith(("ly", "mente")) and len(low) > 5 and low not in _NOUNS_IN_LY:
        return False
    return (_is_romance_noun if lexicon.romance else _is_english_noun)(cursor, low, body, start)


def _is_romance_noun(cursor: Cursor, low: str, body: list[Token], start: int) -> bool:
    form = romance_verb(low, cursor.language)
    if body and body[-1].kind == "value":
        return True
    if form is None:
        if body and (_in_subject_position(cursor) or is_fronted(cursor.words, cursor.i, cursor.lexicon)):
            return not is_unknown_verb(cursor.words, cursor.i, cursor.lexicon)
        return True
    determined = cursor.i > start and not body
    after_verb = form.person == 1 and low.endswith("o") and cursor.follows("verb")
    return determined or after_verb or form.tense == "part" or (form.tense == "infinitive" and not body)


def _is_english_noun(cursor: Cursor, low: str, body: list[Token], start: int) -> bool:
    if body and (is_generic_gerund(low) or (low.endswith("ed") and body[-1].low.endswith("s"))):
        return False
    verb = english_verb(low)
    after_name = bool(body) and body[-1].kind == "name"
    if verb is None or (cursor.i > start and not body):
        third_person = low.endswith("s") and not low.endswith("ss")  # "my Ana maintains it": an unknown verb
        determined_name = after_name and len(body) == 1 and start != cursor.i - 1
        return not (third_person and determined_name and _in_subject_position(cursor))
    if verb.lemma in {"be", "have", "do"}:
        return False
    if body and verb.tense in {"s", "past", "part"}:
        return verb.lemma in NOUNS_TOO and not (_in_subject_position(cursor) or _begins_clause(cursor, body))
    if (after_name and _in_subject_position(cursor)) or (verb.tense == "past" and not body):
        return False
    return verb.tense != "base" or low in NOUNS_TOO


def _begins_clause(cursor: Cursor, body: list[Token]) -> bool:
    """Whether the phrase being read, a name or a relative, is the subject of its own clause, although a verb stands
    before it: "Tom works in Leeds and his wife works in York"."""
    lexicon, following = cursor.lexicon, cursor.peek(1)
    somebody = body[-1].kind == "name" or body[-1].low in lexicon.kinship
    before = next((chunk.kind for chunk in reversed(cursor.out) if chunk.kind != "np"), "")
    determined = following.low in lexicon.determiners or following.low in lexicon.possessives
    goes_on = following.kind in ("name", "value", "date") or determined or following.low in lexicon.prepositions
    return somebody and goes_on and before in ("and", "but", "comma")


def _in_subject_position(cursor: Cursor) -> bool:
    """Whether the phrase being read can be the subject of its clause: no verb or preposition governs it."""
    out = cursor.out
    for i in reversed(range(len(out))):
        if out[i].text.casefold() in _SO and i and out[i - 1].kind == "comma":
            return True  # "…, so the dog sleeps in the hall"
        if out[i].kind not in ("comma", "and", "but", "np", "adv", "date") and not belongs_to_date(out, i):
            return out[i].kind not in ("verb", "prep")
    return True


def _read_possessed(cursor: Cursor, chunk: Chunk) -> None:
    """ "Ana's brother": make the phrase read so far the owner of the noun after its "'s"."""
    if cursor.peek().kind != "poss":
        return
    mark = cursor.peek().text
    cursor.i += 1
    body = _read_body(cursor, cursor.i - 1)
    if not body:
        return
    head = labelled(body, cursor.language).label
    owner = chunk.label
    chunk.inner = [owner] if chunk.concept == "name" else chunk.inner
    chunk.owner, chunk.head, chunk.concept = owner, head, "concept"
    chunk.label = chunk.text = f"{owner}{mark} {head}" if head else owner


def _is_predicate(cursor: Cursor, chunk: Chunk) -> bool:
    """Whether a participle belongs to the copula before it: "está divorciado de Noelia"."""
    before = cursor.out[-2] if len(cursor.out) > 1 else None
    bare = not chunk.article and not chunk.owner and " " not in chunk.label
    form = romance_verb(chunk.label, cursor.language) if bare and cursor.lexicon.romance else None
    return before is not None and before.lemma in {"estar", "ser"} and form is not None and form.tense == "part"


def _read_of(cursor: Cursor, chunk: Chunk) -> None:
    """ "capital of Australia", "hermano de Ana": join what "of" adds if the label stays within its length."""
    lexicon = cursor.lexicon
    if cursor.peek().low not in lexicon.of or chunk.concept != "concept" or _is_predicate(cursor, chunk):
        return
    if not chunk.label:
        if not lexicon.romance:  # "a bit of", "lots of"
            cursor.out.pop()
            cursor.i += 1
        return
    if cursor.peek().kind != "word" or cursor.peek(1).kind in ("date", "value", "clock"):
        return
    start = cursor.i
    cursor.i += 1
    while cursor.peek().low in lexicon.determiners:
        cursor.i += 1
    if cursor.peek().low in lexicon.possessives:
        cursor.i += 1
    link = [token.text for token in cursor.words[start : cursor.i]]
    body = _read_body(cursor, start)
    inner = labelled(body, cursor.language) if body else None
    words = len(chunk.label.split()) + (len(inner.label.split()) if inner else 0)
    if inner is None or not inner.label or inner.concept == "value" or words > MAX_LABEL_WORDS:
        cursor.i = start
        return
    possessed = _possessed_by_inner(cursor, words)
    if inner.concept == "name":
        chunk.inner.append(inner.label)
        if lexicon.romance and not chunk.owner:
            chunk.owner, chunk.head = inner.label, chunk.label
    chunk.label = " ".join([chunk.label, *link, inner.label]) + possessed
    if lexicon.romance and inner.concept == "concept" and _name_follows_of(cursor):
        _read_of(cursor, chunk)  # "a biblioteca da rua do Souto"


def _name_follows_of(cursor: Cursor) -> bool:
    """Whether "of" and a name stand next, with an article at most between them."""
    ahead = 2 if cursor.peek(1).low in cursor.lexicon.determiners else 1
    return cursor.peek().low in cursor.lexicon.of and cursor.peek(ahead).kind == "name"


def _possessed_by_inner(cursor: Cursor, words: int) -> str:
    """Read "'s coach" of "husband of my daughter's coach"; "" if there is none or the label would be too long.

    words: how many words the label has before it."""
    if cursor.peek().kind != "poss":
        return ""
    mark, start = cursor.peek().text, cursor.i
    cursor.i += 1
    body = _read_body(cursor, cursor.i - 1)
    head = labelled(body, cursor.language).label if body else ""
    while not head and len(body) > 1:  # "the desk neighbour use": the last word is the verb of a question
        body.pop()
        cursor.i -= 1
        head = labelled(body, cursor.language).label
    if not head or words + len(head.split()) > MAX_LABEL_WORDS:
        cursor.i = start
        return ""
    return f"{mark} {head}"
