"""A chat that WhatsApp exported as text: its lines begin with a time in the phone's own format.

Day, month and year stand in the order of the phone's region, which no line tells. An order is taken if it gives a
calendar day for every line; among several, the one without days to come, in which time goes backwards least, then the
likelier one. Times
are local to the phone: they are read in the time zone of this machine.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from oroi_graph.model import Role
from oroi_graph.transfer.chats.drafts import Draft, Drafts, named

_HEAD = 64  # characters in which a time ends
_BLANKS = str.maketrans({"\u202f": " ", "\u00a0": " ", "\u2009": " "})
_INVISIBLE = "\u200e\u200f\u202a\u202b\u202c\ufeff"
_DATE = r"(?P<first>\d{1,4})\s?(?:[./-]|년)\s?(?P<second>\d{1,2})\s?(?:[./-]|월)\s?(?P<third>\d{1,4})(?:\.|일|(?=\D))"
_HALF = r"(?:[AaPp]\.?\s?[Mm]\.?|上午|下午|午前|午後|오전|오후|ص|م)"
_TIME = r"(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:[:.](?P<seconds>\d{2}))?"
_LINE = re.compile(
    rf"(?P<open>\[)?{_DATE}[,،]?\s(?:(?:à|às|a las|klo|kl\.?|um|ore)\s)?(?P<before>{_HALF})?\s?{_TIME}"
    rf"\s?(?P<after>{_HALF})?(?:\]\s|\s[-–—]\s|,\s)"
)
_AFTERNOON = ("p", "下午", "午後", "오후", "م")
_SPEAKER = re.compile(r"([^:\n]{1,120}?)\s?: ?")
_QUOTED = frozenset('"“”«»„')
# A file that was sent: what stands behind it in brackets, or behind a dot with pages and sizes, is the app's own, a
# caption follows on the next line.
_ENDINGS = (
    "jpe?g|png|gif|webp|heic|mp4|3gp|mov|avi|mkv|opus|ogg|m4a|mp3|aac|amr|wav|pdf|docx?|xlsx?|pptx?|od[tsp]|txt|csv|rtf"
    "|html?|epub|zip|rar|7z|apk|vcf|json|xml"
)
_FILE = re.compile(
    rf"(?:(?:IMG|VID|AUD|PTT|DOC|STK)-\d{{8}}-WA\d+\.\w{{2,5}}|[^\n]{{1,120}}\.(?i:{_ENDINGS}) \([^()\n]{{3,40}}\)"
    r"|[^\n]{1,200} • \u200e[^\n]*)\s*"
)
_APP_NOTE = re.compile(r"<[^<>\n]{3,80}>")
# "<This message was edited>": it names a message and the editing, or stands behind the app's own sign.
_EDITED = re.compile(
    r"\s?(?:\u200e<[^<>\n]{3,80}>|<(?=[^>]{0,80}(?:messag|mensa|nachricht))"
    r"(?=[^>]{0,80}(?:edit|modifi|bearbeitet))[^<>\n]{3,80}>)$",
    re.IGNORECASE,
)
_DELETED = frozenset(
    """this message was deleted|you deleted this message|se eliminó este mensaje|eliminaste este mensaje|
    mensagem apagada|essa mensagem foi apagada|você apagou esta mensagem|esta mensagem foi apagada|
    ce message a été supprimé|vous avez supprimé ce message|diese nachricht wurde gelöscht|
    du hast diese nachricht gelöscht|questo messaggio è stato eliminato|hai eliminato questo messaggio|null""".replace(
        "\n    ", ""
    ).split("|")
)
# What Android writes of a call, as if the caller had said it.
_CALLS = re.compile(
    r"missed (?:group )?(?:voice |video )?call"
    r"|(?:video)?llamada (?:de voz )?(?:grupal )?perdida"
    r"|(?:(?:video)?chamada|ligação) (?:de (?:voz|vídeo) )?(?:em grupo )?perdida"
)
_ASSISTANTS = frozenset({"meta ai"})
_ORDERS = ("dmy", "mdy", "ymd")


@dataclass(slots=True)
class _Message:
    """One message: the three numbers of its date, its time of the day, and its lines."""

    number: int
    date: tuple[int, int, int]
    time: tuple[int, int, int]
    half: bool
    head: str
    lines: list[str] = field(default_factory=list)


def is_whatsapp(text: str) -> bool:
    """Whether one of the first lines begins as a message of an export does, and names who speaks."""
    lines = [line for line in text[:20_000].split("\n") if line.strip()][:20]
    heads = [found for line in lines if (found := _head(line))]
    return any(":" in rest for _, rest in heads) and _head(lines[0]) is not None


def read_whatsapp(text: str, drafts: Drafts) -> None:
    """Read the messages in the order of the file. The app's own lines, files and deleted messages are passed over."""
    messages = list(_messages(text))
    order = _order(messages)
    seen: Counter[str] = Counter()
    for message in messages:
        where = f"line {message.number}"
        at = _moment(message, order)
        if at is None:
            drafts.broken(where, "no such day or time in the order that the other lines have")
            continue
        speaker, said = _said(message)
        if speaker is None:
            drafts.passed["lines of the app itself"] += 1
            continue
        words = _words(said, drafts)
        if words is None:
            continue
        key = f"{at:%Y-%m-%dT%H:%M:%S}\0{speaker}\0{words}"
        seen[key] += 1
        digest = hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
        role: Role = "assistant" if speaker.casefold() in _ASSISTANTS else "user"
        drafts.keep(where, Draft(words, f"whatsapp-{digest}", role, speaker, at.astimezone(), f"{at:%Y-%m-%d}"))


def _head(line: str) -> tuple[re.Match[str], str] | None:
    """The time at the beginning of a line, and what follows it."""
    line = line.lstrip(_INVISIBLE)
    found = _LINE.match(line[:_HEAD].translate(_BLANKS))
    if found is None or (found["open"] is not None) != found[0].endswith("] "):
        return None
    return found, line[found.end() :]


def _messages(text: str) -> Iterator[_Message]:
    """The messages with their lines; what stands before the first one is no message."""
    current: _Message | None = None
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip("\r")
        head = _head(line)
        if head is not None:
            if current is not None:
                yield current
            found, rest = head
            current = _read_head(number, found, rest)
        elif current is not None:
            current.lines.append(line)
    if current is not None:
        yield current


def _read_head(number: int, found: re.Match[str], rest: str) -> _Message:
    half = (found["before"] or found["after"] or "").casefold()
    hour = int(found["hour"])
    if half:
        hour = hour % 12 + 12 * half.startswith(_AFTERNOON)
    date = (int(found["first"]), int(found["second"]), int(found["third"]))
    return _Message(number, date, (hour, int(found["minute"]), int(found["seconds"] or 0)), bool(half), rest, [rest])


def _order(messages: Sequence[_Message]) -> str:
    """The order of day, month and year that fits the messages best (see the module)."""
    slashed = sum(one.half for one in messages) * 2 > len(messages)
    likely = ("mdy", "dmy", "ymd") if slashed else _ORDERS
    return min(likely, key=lambda order: (*_misfit(messages, order), likely.index(order)))


def _misfit(messages: Sequence[_Message], order: str) -> tuple[int, int, int]:
    """How many messages have no such day, how many one that is still to come, how often time goes backwards."""
    times = [_moment(one, order) for one in messages]
    days = [at for at in times if at is not None]
    tomorrow = datetime.now() + timedelta(days=1)  # phones and this machine may be in different zones
    return (
        len(times) - len(days),
        sum(at > tomorrow for at in days),
        sum(later < earlier for earlier, later in pairwise(days)),
    )


def _moment(message: _Message, order: str) -> datetime | None:
    """The time of a message as its phone showed it, without a zone; None if there is no such day."""
    parts = dict(zip(order, message.date, strict=True))
    year = parts["y"] + 2000 if parts["y"] < 100 else parts["y"]
    try:
        return datetime(year, parts["m"], parts["d"], *message.time)
    except ValueError:
        return None


def _said(message: _Message) -> tuple[str | None, list[str]]:
    """Who speaks, and the lines; nobody where the app itself tells something."""
    found = _SPEAKER.match(message.head)
    if found is None or not named(found[1]) or _QUOTED & set(found[1]):
        return None, []
    first = message.head[found.end() :]
    speaker = named(found[1].removeprefix("~").removeprefix("\u200e~"))
    if first.startswith("\u200e") and not first.startswith("\u200e<") and not message.lines[1:]:
        return None, []  # an iPhone marks what the app wrote by itself
    return speaker.removeprefix("~").strip() or None, [first, *message.lines[1:]]


def _words(lines: Sequence[str], drafts: Drafts) -> str | None:
    """What somebody typed; None for a file without a caption, or a deleted message."""
    first = lines[0].strip().strip(_INVISIBLE).strip()
    rest = list(lines[1:])
    if _APP_NOTE.fullmatch(first) or _FILE.fullmatch(first) or lines[0].startswith("\u200e"):
        drafts.passed["attachments"] += 1
        first = ""
    text = "\n".join([first, *rest]).strip()
    text = _EDITED.sub("", text) if text.endswith(">") else text
    text = text.replace("\u200e", "").strip()
    plain = text.casefold().rstrip(".")
    if plain in _DELETED:
        drafts.passed["deleted messages"] += 1
        return None
    if _CALLS.fullmatch(plain):
        drafts.passed["lines of the app itself"] += 1
        return None
    return text or None
