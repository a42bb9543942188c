"""Read long texts of every shape with every function that reads what people send.

    python tests/support/long_texts.py [CHARACTERS]

Prints the name of each function that came through. Each text may take LIMIT seconds of processor time (not of the
clock: other processes do not count); the process is ended at the first that takes more. A pattern that tries each place
of a run again at each of its places takes many times that, at the size that the suite uses, too.
"""

from __future__ import annotations

import signal
import sys
from datetime import UTC, datetime

from oroi_graph.entities.mentions import Reader
from oroi_graph.extraction.directives import forbids_storage, parts
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.forgetting.request import parse_request
from oroi_graph.language.normalize import label_key, search_words, tidy, tokens, without_names
from oroi_graph.language.parsed_text import parse
from oroi_graph.language.quoting import quoted, strip_briefs
from oroi_graph.language.sentences import sentences
from oroi_graph.model import Extraction, Utterance
from oroi_graph.recall.question import read_question
from oroi_graph.redaction.builtin import BuiltInRedactor
from oroi_graph.windows import read_windows

MOST = int(sys.argv[1]) if len(sys.argv) > 1 else 40_000
LIMIT = 2.0 * MOST / 40_000  # seconds; some twenty times what the slowest took
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
UNITS = [
    " ", "\t", "\n", " \n\t", "\u00a0", '"', "'", "“", "(", ")", "[", "<", ">", "&", "&lt;", "&amp;", "1", "1.", "1 ",
    "a", "A", ".", ",", " ,", ";", "-", "_", "|", "@", "/", "x y, ", "please ", "forget ", "remember that ", "Ana ",
    "Ana's ", "and ", "de ", "2 days ago ", "hundred ", "mil ", "http://", "e\u0301", "\u200b", "日", "😀",
    "<oroi-memory>", "</oroi-memory>", "<oroi ", "oroi < ", "- a\n", "eyJ", "ES91 ", "612345678 ", "a@", "sk-",
    'password="', "-----BEGIN PRIVATE KEY-----\n",
]  # fmt: skip
HALF = MOST // 2
# The same unit all over; between other characters, where a run cannot end well; and what attackers have tried.
SHAPES = [
    *(unit * (MOST // len(unit)) for unit in UNITS),
    *(f"x {unit * (HALF // len(unit))}x" for unit in UNITS),
    "oroi <" + " " * HALF + "x",
    "<oroi-memory" + " " * HALF + "x",
    "<oroi-memory>" + "|" * HALF,
    "<oroi" * (MOST // 12) + "<oroi-memory>" + "memory>" * (MOST // 12),
    "oroi &" + "amp" * (HALF // 3),
    "forget Ana" + " ," * (HALF // 2) + "x",
    "please " * (HALF // 7) + "forget",
]


def main() -> None:
    """Every function on every shape that it may be given."""
    extractor = OfflineExtractor()
    reader = Reader(Extraction(), "Ana", parse("x", NOON))
    redact = BuiltInRedactor()
    for name, read in {
        # Phone numbers are looked for once for each region, so a part is enough.
        "redacted": lambda text: redact(text[: MOST // 4]),
        "strip_briefs": strip_briefs,
        "quoted": quoted,
        "without_names": lambda text: without_names(text, ["Ana", "User"]),
        "tidy": tidy,
        "label_key": label_key,
        "search_words": search_words,
        "tokens": tokens,
        "forbids_storage": forbids_storage,
        "parts": lambda text: list(parts(text)),
        "sentences": sentences,
        "mention": reader.mention,
        "parse_request": lambda text: parse_request(text, "Ana", NOON),
        "extract": lambda text: extractor.extract(Utterance(text, "Ana", "user", NOON), ()),
        # Questions are short; values are looked for in what is long as well.
        "values": lambda text: parse(text[:HALF], NOON).values,
        "read_question": lambda text: read_question(text[: MOST // 20], "Ana", NOON, extractor),
        "read_windows": lambda text: read_windows(text[: MOST // 20], NOON.date()),
    }.items():
        for text in SHAPES:
            signal.setitimer(signal.ITIMER_PROF, LIMIT)  # its signal ends the process, in the middle of a match, too
            read(text)
        print(name, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
