"""English verb groups: "have been living", "doesn't want to learn", "used to live"."""

from __future__ import annotations

from oroi_graph.extraction.chunking.chunk import Chunk, Cursor
from oroi_graph.extraction.named_entities import closed_words
from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.lexicons.by_language import ACTIVITIES
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import NOUNS_TOO, english_past, english_verb
from oroi_graph.language.verbs.verb_form import VerbForm

_PARTICLES = word_set("up out away back down off together")
_INTENTIONS = word_set("going trying planning hoping wanting learning starting beginning")
_TAKES_ING = word_set("start stop keep begin finish try love like enjoy hate practice consider go quit")
_BEGUN = word_set("started began")
_STOPPED = word_set("stopped stop quit")
_UNBEARABLE = word_set("stand bear")  # "can't stand" states a dislike
_ABILITIES = word_set("speak play swim drive ride cook sing read ski sail fly eat drink")  # "can swim" is a fact
_BE = word_set("is are am was were")
# Verbs whose participle is their base form: "has put"; those that also describe nouns: "has cut flowers".
_SAME_PARTICIPLE = word_set("put read let quit come become")
_SAME_PARTICIPLE_TOO = word_set("cut hit set shut hurt bet spread split upset run reset")
_HYPOTHETICAL = word_set("would could should may might must")


def is_generic_gerund(low: str) -> bool:
    """Whether a word is a gerund that names no activity ("getting", "making")."""
    verb = english_verb(low)
    return verb is not None and verb.tense == "ing" and low not in ACTIVITIES


def tensed(base: str, *, past: bool) -> str:
    """The third person of a base form: "live" → "lives", or "lived"."""
    if past:
        return english_past(base)
    form = english_verb(base)
    return form.third if form else f"{base}s"


def begins_side_clause(cursor: Cursor) -> bool:
    """Whether a gerund with an object stands next: "people … waving flags". Such a clause states no relation."""
    token = cursor.peek()
    after = cursor.follows("np", "comma", "and")
    return after and token.kind == "word" and is_generic_gerund(token.low) and cursor.object_follows(1)


def read_infinitive(cursor: Cursor) -> bool:
    """Read "to see (Ana)" or "of joining (a team)": a verb without a stated subject. False if none stands next."""
    low, following = cursor.peek().low, cursor.peek(1).low
    verb = english_verb(following)
    if verb is None:
        return False
    last = next((c.lemma for c in reversed(cursor.out) if c.kind == "verb"), "")
    infinitive = low == "to" and verb.tense == "base" and not (last in {"go", "come"} and verb.lemma == "work")
    gerund = (
        low in cursor.lexicon.prepositions
        and verb.tense == "ing"
        and (following not in ACTIVITIES or cursor.object_follows(2))
    )
    if infinitive or gerund:
        cursor.add("inf", 2)
    return infinitive or gerund


def read_verb_group(cursor: Cursor) -> bool:
    """Read the verb group that stands next. False, with the cursor unmoved, if there is none."""
    if cursor.peek().kind != "word":
        return False
    start, lexicon = cursor.i, cursor.lexicon
    while (low := cursor.peek().low) in lexicon.negations or low in lexicon.before_verb:
        cursor.i += 1
    if _finite(cursor) is None and not (cursor.peek().kind == "word" and cursor.peek().low in lexicon.modals):
        cursor.i = start
        return False
    words = _verbs(cursor)
    said = cursor.words[start : cursor.i]
    cursor.out.append(_verb_chunk(words, said, negated=any(token.low in lexicon.negations for token in said)))
    return True


def _verbs(cursor: Cursor) -> list[str]:
    """Read a verb group to its end; returns its words without adverbs and negations, in lower case."""
    words: list[str] = []
    lexicon = cursor.lexicon
    while True:
        token = cursor.peek()
        low = token.low
        if low in lexicon.negations or (low in lexicon.adverbs and words and _continues(cursor, 1, words)):
            cursor.i += 1
        elif token.kind == "word" and (not words or _continues(cursor, 0, words)):
            words.append(low)
            _read_to(cursor, words)
            cursor.i += 1
        else:
            particle = low in _PARTICLES and words and words[-1] not in lexicon.modals
            last = english_verb(words[-1]) if words and low == "place" else None
            if particle or (last is not None and last.lemma == "take"):  # "takes place": one verb
                words.append(low)
                cursor.i += 1
            return words


def _finite(cursor: Cursor) -> VerbForm | None:
    """The next word as a finite verb; an unknown word after a subject counts if it ends as a verb does."""
    token = cursor.peek()
    if token.kind != "word":
        return None
    low, verb = token.low, english_verb(token.low)
    before = next((c for c in reversed(cursor.out) if c.kind not in ("adv", "neg")), None)
    subject = before if before is not None and before.kind in ("np", "pron") else None
    noun = subject is not None and subject.kind == "np" and subject.concept != "name" and not subject.owner
    if low == "like" and noun:
        return None  # "flavours like chocolate"
    if verb is None:
        return _unknown_finite(low, subject) if subject is not None and low not in closed_words("en") else None
    if verb.lemma in {"be", "have", "do"} and verb.tense in {"base", "s", "past"}:
        return verb
    if verb.tense in {"ing", "part"} or not cursor.expects_verb():
        return None
    past_too = verb.third == low and subject is not None
    if verb.tense == "base" and low in NOUNS_TOO and not past_too and not _is_plural_subject(before):
        return None
    return verb


def _unknown_finite(low: str, subject: Chunk) -> VerbForm | None:
    said = subject.text.casefold()
    if low.endswith("ed"):
        return VerbForm(low, "past", low)
    if (subject.concept == "name" or said in {"he", "she", "it"}) and low.endswith("s") and not low.endswith("ss"):
        return VerbForm(low, "s", low)
    return VerbForm(low, "base", f"{low}s") if said in {"i", "we", "they", "you"} and low.isalpha() else None


def _is_plural_subject(before: Chunk | None) -> bool:
    if before is None:
        return False
    if before.kind == "pron":
        return before.text.casefold() in {"i", "we", "you", "they", "who", "that"}
    if before.kind == "np":
        return before.text.endswith("s") or before.concept == "name"
    return before.kind in ("sub", "and", "but")


def _continues(cursor: Cursor, ahead: int, words: list[str]) -> bool:
    """Whether the token `ahead` continues the verb group begun by `words`."""
    token, last = cursor.peek(ahead), words[-1]
    if token.kind != "word":
        return False
    low, verb, last_verb = token.low, english_verb(token.low), english_verb(last)
    begins_with_do = last in {"do", "does", "did"} and len(words) == 1
    if begins_with_do and cursor.peek(ahead - 1).low == last:
        return verb is not None and verb.tense == "base"  # "I do like it"; but "does yoga"
    if last == "to" or last in cursor.lexicon.modals or begins_with_do:
        return verb is not None or (low not in closed_words("en") and low.isalpha())
    if last_verb is None:
        return False
    if verb is None:
        verbal = low.endswith(("ed", "ing")) and len(low) > 4
        return verbal and last_verb.lemma == "be" and low not in cursor.lexicon.evaluative
    if last_verb.lemma == "be":
        return verb.tense == "ing" or low == "been" or (verb.tense in {"part", "past"} and low != "left")
    if last_verb.lemma == "have":
        if low in _SAME_PARTICIPLE_TOO:
            return not _is_noun_next(cursor.peek(ahead + 1))
        return low in _SAME_PARTICIPLE or (verb.tense in {"part", "past"} and low not in NOUNS_TOO)
    if verb.tense == "ing" and last_verb.lemma in _TAKES_ING and ahead == 0:
        begun = cursor.peek(1).low in cursor.lexicon.prepositions and last_verb.lemma in {"start", "begin"}
        return last in {"stopped", "quit"} or begun or cursor.object_follows(1)
    return False


def _is_noun_next(token: Token) -> bool:
    """Whether a word may be a noun without an article, so that the one before it describes it."""
    return token.kind == "word" and token.text.islower() and token.low not in closed_words("en")


def _read_to(cursor: Cursor, words: list[str]) -> None:
    """Add "to" to the group if a verb follows it: wants to | learn; used to | live."""
    after, then = cursor.peek(1), cursor.peek(2)
    gerund = words[-1].endswith("ing") and words[-1] not in _INTENTIONS
    if after.low == "to" and then.kind == "word" and words[-1] not in cursor.lexicon.modals and not gerund:
        verb = english_verb(then.low)
        if verb is not None and verb.tense == "base":
            words.append("to")
            cursor.i += 1


def _verb_chunk(words: list[str], said: list[Token], *, negated: bool) -> Chunk:
    """The chunk of a verb group, with its relation in the third person. said: all tokens of the group."""
    chunk = Chunk("verb", " ".join(t.text for t in said), negated=negated)
    doing = english_verb(words[1]) if len(words) == 2 and words[1].endswith("ing") else None
    if doing is not None and words[0] in _STOPPED:  # "stopped working at": no longer works at
        words, chunk.negated = [doing.lemma], not negated
    elif doing is not None and words[0] in _BEGUN:  # "started working at": works at
        words = [doing.lemma]
    chunk.relation = _third_person(words)
    particle = words[-1] if len(words) > 1 and words[-1] in _PARTICLES else ""
    main = words[-2] if particle or (len(words) > 1 and words[-1] == "place") else words[-1]
    verb = english_verb(main)
    chunk.lemma = verb.lemma if verb else main
    chunk.tense = _tense(words, chunk.lemma)
    if negated and words[0] == "can" and chunk.lemma in _UNBEARABLE:
        chunk.relation, chunk.negated = f"can't {chunk.lemma}", False
    if verb is not None and verb.tense in {"part", "past"} and len(words) > 1 and words[0] in _BE:
        active = tensed(verb.lemma, past=words[0] in {"was", "were"})
        chunk.active = f"{active} {particle}".rstrip()
    return chunk


def _tense(words: list[str], lemma: str) -> str:
    first = english_verb(words[0])
    planned = words[0] in {"am", "is", "are"} and words[-1].endswith("ing")  # "I am meeting Tom on Friday"
    if words[0] in {"will", "shall"} or "going" in words or planned:
        return "future"
    if words[0] in _HYPOTHETICAL or (words[0] == "can" and lemma not in _UNBEARABLE | _ABILITIES):
        return "hypothetical"
    if first is not None and first.lemma == "have" and len(words) > 1 and words[1] != "to":
        return "perfect"
    return first.tense if first else "base"


def _third_person(words: list[str]) -> str:
    """ "am going" → "is going", "did … buy" → "bought", "have adopted" → "adopted", "live" → "lives"."""
    first, *rest = words
    verb = english_verb(first)
    if rest and rest[0] != "to" and first in {"do", "does", "did"}:
        return _third_person([tensed(rest[0], past=first == "did"), *rest[1:]])
    if rest and rest[0] != "to" and verb is not None and verb.lemma == "have":
        if rest[0] == "been":
            return " ".join(["has been" if len(rest) == 1 else "is", *rest[1:]])
        form = english_verb(rest[0])
        if form is not None and form.tense == "base":
            return " ".join([english_past(rest[0]), *rest[1:]])
        return " ".join([form.third if form else rest[0], *rest[1:]])
    if verb is None:
        first = first if rest or first.endswith(("ed", "s")) else f"{first}s"
    elif verb.tense in {"base", "s"} or verb.lemma == "be":
        first = verb.third
    return " ".join([first, *rest])
