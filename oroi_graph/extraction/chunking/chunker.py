"""Texts to chunked sentences: one pass over the tokens of each sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from oroi_graph.extraction.chunking import english_verbs, romance_verbs
from oroi_graph.extraction.chunking.chunk import Chunk, ChunkKind, Cursor
from oroi_graph.extraction.chunking.noun_phrases import NAMING, read_noun_phrase
from oroi_graph.extraction.named_entities import join_names
from oroi_graph.extraction.tokenizer import Token, expand, tokens
from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.sentences import is_question
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import NOUNS_TOO, english_verb

MAX_SENTENCE_TOKENS = 120
_MOTION = word_set("ir vir chegar voltar regressar viajar mudar pertencer assistir")
_TAKES_TO = re.compile(r"al[ée]rg|favorável|igual|semelhante|superior|inferior", re.IGNORECASE)
_RELATIVE = word_set("who which that que")
_CALLED = (["se", "llama"], ["se", "llamaba"], ["se", "chama"], ["se", "chamava"])
_IS = word_set("is are was were es é")
_DEGREE = word_set("muy tan tão")  # before an adjective, which is then no object
_MORE = word_set("más menos mais")
_QUANTITIES = word_set("some many most all one part")
_DEMONSTRATIVES = word_set("that this these those all some much more both most")


@dataclass(frozen=True, slots=True)
class Sentence:
    """The chunks of one sentence, whether it asks something, and its text with contractions written out."""

    chunks: list[Chunk]
    asks: bool
    text: str


def chunked_sentences(text: str, language: str, at: datetime | None, known: frozenset[str]) -> list[Sentence]:
    """The sentences of a text, chunked.

    at: when it was said, to read its dates. known: lower-case words that are names even at a sentence's start."""
    text = expand(text, language)
    result: list[Sentence] = []
    current: list[Token] = []
    begin = 0
    for token in [*tokens(text, language, at), Token(".", "end", len(text))]:
        if token.kind != "end" and len(current) < MAX_SENTENCE_TOKENS:
            current.append(token)
            continue
        if current:
            said = text[begin : token.end].strip()
            asks = "?" in token.text or is_question(said)
            result.append(Sentence(_chunks(join_names(current, language, known), language), asks, said))
        current, begin = [], token.end
    return result


def _chunks(words: list[Token], language: str) -> list[Chunk]:
    cursor = Cursor(words, language)
    while cursor.i < len(words):
        before, token = cursor.i, cursor.peek()
        if token.kind == "mark":
            cursor.add("comma" if token.text == "," else "stop")
        elif token.kind == "date" or token.kind == "clock":
            cursor.out.append(Chunk(token.kind, token.text, token.text, "value"))
        elif token.kind in ("name", "value"):
            read_noun_phrase(cursor)
        elif token.kind == "word":
            _read_word(cursor, token.low)
        cursor.i = max(cursor.i, before + 1)
    return cursor.out


def _read_word(cursor: Cursor, low: str) -> None:
    """Read the chunk that begins with the next word, `low`."""
    lexicon, following = cursor.lexicon, cursor.peek(1)
    if not lexicon.romance and english_verbs.begins_side_clause(cursor):
        cursor.add("inf")
    elif count := _naming(cursor):
        cursor.add("naming", count)
    elif _read_verb(cursor):
        return
    elif low in lexicon.interjections and low not in lexicon.determiners and not cursor.follows("prep"):
        cursor.add("interjection")
    elif low in lexicon.conditionals and (low not in lexicon.clitics or cursor.expects_verb()):
        cursor.add("if")
    elif low in _MORE and lexicon.romance and cursor.follows("np") and following.kind == "word":
        cursor.add("adv", 2)
    elif low in lexicon.possessives or (low in lexicon.determiners and _is_determiner(cursor, low)):
        read_noun_phrase(cursor)
    elif low in _QUANTITIES and following.low == "of":
        cursor.i += 2
    elif kind := _closed_class(low, lexicon):
        cursor.add(kind)
    elif low in _DEGREE and lexicon.romance and following.kind == "word":
        cursor.add("adv", 2)
    elif low in lexicon.adverbs or (low.endswith(("ly", "mente")) and len(low) > 5):
        cursor.add("adv")
    elif low in lexicon.determiners:
        cursor.add("pron")
    else:
        read_noun_phrase(cursor)


def _naming(cursor: Cursor) -> int:
    """How many of the next words lead from a noun to its name ("called", "que se llama"); 0 if none do."""
    low = cursor.peek().low
    if low not in NAMING | _RELATIVE or not cursor.follows("np"):
        return 0
    if low in NAMING:
        count = 1
    elif cursor.out[-1].concept == "name":  # "a dog in Leeds who is called Max": not what stands next
        return 0
    else:
        said = [cursor.peek(1).low, cursor.peek(2).low]
        count = 3 if said in _CALLED or (said[0] in _IS and said[1] in NAMING) else 0
    return count if count and cursor.peek(count).kind == "name" else 0


def _closed_class(low: str, lexicon: Lexicon) -> ChunkKind | None:
    if low in lexicon.pronouns:
        return "pron"
    if low in lexicon.subordinators:
        return "sub"
    if low in lexicon.conjunctions or low in lexicon.coordinating:
        return "and" if low in lexicon.coordinating else "but"
    if low in lexicon.prepositions:
        return "prep"
    return "neg" if low in lexicon.negations else None


def _read_verb(cursor: Cursor) -> bool:
    word_follows = cursor.peek(1).kind == "word"
    if cursor.lexicon.romance:
        return (word_follows and romance_verbs.read_infinitive(cursor)) or romance_verbs.read_verb_group(cursor)
    return (word_follows and english_verbs.read_infinitive(cursor)) or english_verbs.read_verb_group(cursor)


def _is_determiner(cursor: Cursor, low: str) -> bool:
    """Whether the next word, `low`, has a noun after it ("that book") and does not stand for one ("that is")."""
    lexicon, following = cursor.lexicon, cursor.peek(1)
    last = cursor.out[-1] if cursor.out else None
    if low in lexicon.prepositions and last and (last.lemma in _MOTION or _TAKES_TO.match(last.label)):
        return False  # Portuguese "a": "fui a Lisboa", but "conheço a Ana"
    if following.kind in ("name", "value", "date"):
        return low != "that"
    if following.kind != "word":
        return False
    if any(following.low in words for words in (lexicon.pronouns, lexicon.prepositions, lexicon.modals)):
        return False
    if low in _DEMONSTRATIVES:
        verb = english_verb(following.low)
        if verb is not None and (verb.lemma in {"be", "have", "do"} or following.low not in NOUNS_TOO):
            return False
    return following.low not in lexicon.conjunctions and following.low not in lexicon.subordinators
