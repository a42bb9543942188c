"""A life of one memory, step by step, with everything that recall said and the numbers of its graph.

Two runs of one life under one name are comparable: ids derive from the name. A step depends on the seed and on the
graph alone, never on the process that takes it, so that several processes may take turns
(`python scripted_life.py URI SEED STEPS WORKING_SET`, which reads step numbers and prints a line of JSON for each).
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from graph_state import EAGER
from graph_view import NOON, rows
from life_script import Life, live

from oroi_graph import Filters, Graph, InputError, Memory, Options
from oroi_graph.connection import open_embedder
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.settings import Settings
from oroi_graph.storage.store import Store
from oroi_graph.transfer.bulk_import import ingest
from oroi_graph.transfer.conversation_file import read_lines

OPTIONS = Options(sleep=EAGER)
PORTUGUESE = (
    "Moro em {place} com o meu irmão {name}.", "O meu carro é {colour}.", "Trabalho na {place}.",
    "A minha gata chama-se {name}.", "O {name} gosta de {thing}.", "Comprei uma {thing} por {n} euros.",
    "Já não gosto de {thing}.", "A {name} vive em {place} desde março.",
)  # fmt: skip
ASKED = (
    "Where do I live?", "What does {name} like?", "How much did I pay for the {thing}?", "¿Dónde vivo?",
    "¿Qué le gusta a {name}?", "Onde moro?", "Como se chama a minha gata?", "Where did I live before?",
    "What do {name} and I have in common?", "Tell me about the {thing} and where {name} lives?", "ok, thanks",
    "What did we talk about in January 2024?",
)  # fmt: skip
WORDS = {
    "name": ("Rita", "Tiago", "Marta Ruiz", "Marta"),
    "place": ("Lisboa", "Porto", "Bilbao", "Coimbra"),
    "colour": ("azul", "verde", "red"),
    "thing": ("guitarra", "boat", "barca", "bicicleta", "choir"),
    "n": ("30", "45"),
}
IMPORTED = (
    {"role": "user", "text": "Marta Ruiz plays the oboe in Porto."},
    {"role": "assistant", "text": "Nice."},
    {"role": "user", "text": "My boat is red and I live in Bilbao."},
)
KINDS = {
    "say": 46, "perceive only": 6, "portuguese": 10, "ask": 14, "late close": 3, "again": 2, "remember": 2,
    "forget": 2, "undo": 2, "merge": 3, "undo merge": 2, "edit": 3, "delete fact": 2, "sleep": 2, "import": 2,
    "hear": 2, "refuse": 1,
}  # fmt: skip


class ScriptedLife:
    """The steps of one life, taken on `memory`."""

    def __init__(self, memory: Memory, seed: int, steps: int) -> None:
        self.memory, self.seed = memory, seed
        self.kinds = random.Random(seed).choices(list(KINDS), weights=list(KINDS.values()), k=steps)
        # Whatever the seed draws, a short life sleeps, merges and forgets, too.
        must = [kind for kind in KINDS if kind not in ("say", "ask")]
        for place, kind in zip(range(steps // 2, steps, max(steps // (2 * len(must)), 1)), must, strict=False):
            self.kinds[place] = kind
        self.life: Life = live(steps + 1, seed)

    def take(self, number: int) -> dict[str, Any]:
        """Take one step; what came of it, JSON-serialisable. What is refused is part of it."""
        self.memory.refresh()
        draw = random.Random(f"{self.seed} {number}")
        act: Callable[[int, random.Random], Any] = getattr(self, "_" + self.kinds[number].replace(" ", "_"))
        try:
            found = act(number, draw)
        except InputError as error:
            found = {"refused": str(error)}
        return {"step": number, "kind": self.kinds[number], "found": found}

    def _say(self, number: int, draw: random.Random) -> Any:
        said = self.life.turns[number]
        gold = said.extraction if draw.random() < 0.8 else None
        turn = self.memory.perceive(
            said.text, speaker=said.speaker, id=said.id, at=said.at, session=said.session, extraction=gold, in_sight=()
        )
        turn.close(said.reply, injected=turn.brief if draw.random() < 0.7 else None)
        return {"surprise": turn.surprise, "recall": _recalled(turn.recall)}

    def _perceive_only(self, number: int, draw: random.Random) -> Any:
        said = self.life.turns[number]
        turn = self.memory.perceive(
            said.text, speaker=said.speaker, id=said.id, at=said.at, session=said.session,
            extraction=said.extraction, in_sight=(),
        )  # fmt: skip
        return {"surprise": turn.surprise, "matches": [[m.concept_id, m.method, m.score] for m in turn.matches]}

    def _late_close(self, number: int, draw: random.Random) -> Any:
        """The turn that was left open last is closed after all."""
        opened = [i for i in range(number) if self.kinds[i] == "perceive only"]
        if opened:
            said = self.life.turns[opened[-1]]
            turn = self.memory.perceive(said.text, speaker=said.speaker, id=said.id, at=said.at, in_sight=())
            turn.close("That was long ago.")

    def _again(self, number: int, draw: random.Random) -> Any:
        said = [i for i in range(number) if self.kinds[i] == "say"]
        if said:
            turn = self.life.turns[draw.choice(said)]
            return self.memory.perceive(turn.text, speaker=turn.speaker, id=turn.id, at=turn.at, in_sight=()).number
        return None

    def _portuguese(self, number: int, draw: random.Random) -> Any:
        text = draw.choice(PORTUGUESE).format(**{slot: draw.choice(some) for slot, some in WORDS.items()})
        turn = self.memory.perceive(text, speaker="Rui", id=f"pt-{number}", at=self._at(number), in_sight=())
        turn.close("Está bem.", injected=turn.brief)
        return {"surprise": turn.surprise, "recall": _recalled(turn.recall)}

    def _ask(self, number: int, draw: random.Random) -> Any:
        probes = [probe.question for probe in self.life.probes if probe.since <= number]
        text = draw.choice([*probes, *ASKED] if draw.random() < 0.6 and probes else ASKED)
        question = text.format(**{slot: draw.choice(some) for slot, some in WORDS.items()})
        filters = [Filters(), Filters(), Filters(speaker="Ana"), Filters(since="2024-01-02")]
        speaker = draw.choice(("Ana", "Luis", "Rui"))
        found = self.memory.recall(question, speaker=speaker, at=self._at(number), filters=draw.choice(filters))
        return _recalled(found)

    def _remember(self, number: int, draw: random.Random) -> Any:
        name = draw.choice(WORDS["name"])
        self.memory.remember(
            f"{name} is allergic to nuts.", speaker="Ana", id=f"remember-{number}", at=self._at(number)
        )

    def _forget(self, number: int, draw: random.Random) -> Any:
        labels = self._labels("c.kind <> 'self'")
        forgotten = self.memory.forget(draw.choice(labels)) if labels else None
        return forgotten and len(forgotten.what.concepts)

    def _refuse(self, number: int, draw: random.Random) -> Any:
        return self.memory.edit_fact("nothing", relation="likes").id

    def _undo(self, number: int, draw: random.Random) -> Any:
        return self.memory.undo().turn

    def _merge(self, number: int, draw: random.Random) -> Any:
        labels = self._labels("c.kind = 'concept'")
        return self.memory.merge(*draw.sample(labels, 2)).state if len(labels) > 1 else None

    def _undo_merge(self, number: int, draw: random.Random) -> Any:
        merges = [
            one.id for one in sorted(self.memory.merges(), key=lambda one: (one.turn, one.absorbed_id, one.state))
        ]
        return [one.state for one in self.memory.undo_merge(draw.choice(merges))] if merges else None

    def _edit(self, number: int, draw: random.Random) -> Any:
        facts = self._facts()
        target = draw.choice(WORDS["thing"])
        return self.memory.edit_fact(draw.choice(facts), target=target).target if facts else None

    def _delete_fact(self, number: int, draw: random.Random) -> Any:
        facts = self._facts()
        return self.memory.delete_fact(draw.choice(facts)).target if facts else None

    def _sleep(self, number: int, draw: random.Random) -> Any:
        return self.memory.consolidate().state

    def _import(self, number: int, draw: random.Random) -> Any:
        shared = {"speaker": "Ana", "at": self._at(number).isoformat()}
        lines = [shared | {"id": f"import-{number}-{i}"} | said for i, said in enumerate(IMPORTED)]
        ingest(self.memory, read_lines("\n".join(map(json.dumps, lines)), "lines").turns)

    def _hear(self, number: int, draw: random.Random) -> Any:
        said = "The choir meets on Monday, I think."
        return self.memory.perceive(
            said, role="assistant", speaker="Assistant", id=f"hear-{number}", at=self._at(number)
        ).number

    def _at(self, number: int) -> Any:
        return NOON + timedelta(hours=number)

    def _labels(self, which: str) -> list[str]:
        query = f"MATCH (c:Concept {{memory: $memory}}) WHERE {which} RETURN c.label AS label"
        return [row["label"] for row in rows(self.memory, f"{query} ORDER BY c.last_turn DESC, label LIMIT 8")]

    def _facts(self) -> list[str]:
        return [
            row["id"]
            for row in rows(
                self.memory,
                "MATCH (:Concept {memory: $memory})-[a:ASSOCIATED]->() WHERE a.superseded_turn IS NULL "
                "AND a.implied IS NULL RETURN a.id AS id ORDER BY a.last_turn DESC, id LIMIT 8",
            )
        ]


def _recalled(found: Any) -> dict[str, Any]:
    reasons = [
        {"item": r.item, "cue": r.cue, "path": [list(vars_of(s)) for s in r.path], "numbers": dict(r.numbers)}
        for r in found.reasons
    ]
    brief = {"ids": [found.brief.concept_ids, found.brief.fact_ids, found.brief.record_ids], "reasons": reasons}
    whole = json.loads(json.dumps(found.to_json() | brief))
    for fact in whole["facts"]:
        del fact["stated_at"]  # of an edited fact by the clock
    whole["cues"] = sorted(whole["cues"], key=lambda cue: cue["label"])
    return dict(whole)


def vars_of(step: Any) -> Iterator[Any]:
    """The values of a slotted dataclass."""
    return (getattr(step, name) for name in step.__slots__)


_LOOKS = {
    "concepts": "MATCH (c:Concept {memory: $memory}) RETURN c.id AS id, [c.label, c.kind, c.activation, c.strength, "
    "c.exposure, c.mentions, c.fixed, c.last_turn] AS row ORDER BY id",
    "associations": "MATCH (s:Concept {memory: $memory})-[a:ASSOCIATED]->(t) RETURN a.id AS id, [s.label, a.relation, "
    "t.label, a.weight, a.count, a.last_turn, a.superseded_turn, a.contested, size(a.records)] AS row ORDER BY id",
    "mentions": "MATCH (r:Record {memory: $memory})-[m:MENTIONS]->(c) RETURN r.turn_id + r.role + c.id AS id, "
    "[m.surface, m.method, m.score] AS row ORDER BY id",
}


def graph_of(memory: Memory) -> dict[str, Any]:
    """The numbers of the graph: concepts, associations, mentions, by id."""
    found: dict[str, Any] = {}
    for name, query in _LOOKS.items():
        found[name] = {row["id"]: row["row"] for row in rows(memory, query)}
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


def differences(a: Any, b: Any, within: float = 1e-9, where: str = "") -> list[str]:
    """Where two observations differ; numbers may by `within`. Equally scored records may change places."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = a.keys() | b.keys()
        gone = [f"{where}.{key}: only in one" for key in sorted(keys) if (key in a) != (key in b)]
        return gone + [
            line
            for key in sorted(a.keys() & b.keys())
            for line in differences(a[key], b[key], within, f"{where}.{key}")
        ]
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return [f"{where}: {len(a)} and {len(b)} items"]
        if a and isinstance(a[0], dict) and "score" in a[0]:
            a, b = _untied(a, within), _untied(b, within)
        return [
            line
            for i, (x, y) in enumerate(zip(a, b, strict=True))
            for line in differences(x, y, within, f"{where}[{i}]")
        ]
    if isinstance(a, float | int) and isinstance(b, float | int):
        return [] if math.isclose(a, b, rel_tol=0, abs_tol=within) else [f"{where}: {a} and {b}"]
    return [] if a == b else [f"{where}: {str(a)[:90]!r} and {str(b)[:90]!r}"]


def _untied(records: Sequence[Any], within: float) -> list[Any]:
    """Runs of equal scores, each in the order of its ids."""
    runs: list[list[Any]] = []
    for record in records:
        if runs and math.isclose(runs[-1][0]["score"], record["score"], rel_tol=0, abs_tol=within):
            runs[-1].append(record)
        else:
            runs.append([record])
    return [record for run in runs for record in sorted(run, key=lambda one: str(one["id"]))]


class LifeProcess:
    """A process that takes steps of a life when it is told to; ends with the block. embedder: as `OROI_EMBEDDER`."""

    def __init__(self, at: Any, seed: int, steps: int, working_set: int = 2**29, *, embedder: str = "minilm") -> None:
        given = [at.uri, str(seed), str(steps), str(working_set)]
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), *given],
            env=os.environ
            | {"OROI_EMBEDDER": embedder, "LIFE_USER": at.user, "LIFE_PASSWORD": at.password}
            | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> LifeProcess:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:  # closes both ends
            pass

    def take(self, number: int) -> dict[str, Any]:
        """Take one step there; what came of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))


def main(uri: str, seed: int, steps: int, working_set: str) -> None:
    """Take the steps whose numbers come in, one a line."""
    settings = Settings.from_env()
    with Store(uri, os.environ["LIFE_USER"], os.environ["LIFE_PASSWORD"]) as store:
        embedder = CachedEmbedder(open_embedder(settings))
        graph = Graph(store, embedder, OfflineExtractor(), OPTIONS, working_set=int(working_set))
        life = ScriptedLife(graph.memory(f"scripted-{seed}"), seed, steps)
        for line in sys.stdin:
            print(json.dumps(life.take(int(line))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
