"""Markdown notes: how well each profile finds what is asked, how fast an index is made and searched, and kills.

    python benchmarks/workspace.py --parts questions --json questions.json
    python benchmarks/workspace.py --parts size --notes 10000             # the index without the time of embedding
    python benchmarks/workspace.py --parts size --notes 300               # a first look
    python benchmarks/workspace.py --parts kills --kills 20
    python benchmarks/workspace.py --parts development,sealed             # questions written by hand

Parts: `questions` asks 150 questions in three languages about a year of generated logs and gives recall@6 by profile,
kind of question and age of the note; `development` and `sealed` ask 120 and 110 questions that were written by hand;
`size` measures a large index with an embedder that costs little; `kills` ends indexing and appending processes by
`kill -9` and looks whether search answered throughout and nothing is lost.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from figures import quantiles
from servers import add_arguments, environment, prepare_schema, read_settings, serving
from workspace_notes import DAYS, FIRST, Question, Year, year
from workspace_year import SETS, age_group, written_year

from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.server.fetch import ensure_minilm
from oroi_graph.storage.store import Store
from oroi_graph.workspace.config import PROFILES, QueryConfig, SyncConfig, WorkspaceConfig
from oroi_graph.workspace.files.journal import Journal
from oroi_graph.workspace.layout import day_of
from oroi_graph.workspace.pipeline import Workspace
from oroi_graph.workspace.registration import register

SEARCHES = 220
PARTS = ("questions", *SETS, "size", "kills")
SERVED: dict[str, str] = {"folder": ""}  # the data folder of the managed server
QUIET = WorkspaceConfig(sync=SyncConfig(on_search=False, on_session_start=False))
RECENT = datetime.fromordinal(FIRST.toordinal() + DAYS).replace(hour=12, tzinfo=UTC)
LOG_LINES, LOG_WORDS = 12, 60  # of a large note, about six chunks


@contextmanager
def workspace_of(graph: Graph, files: dict[str, str], config: WorkspaceConfig = QUIET) -> Iterator[Workspace]:
    """A workspace with these files, deleted afterwards."""
    name = f"notes-{uuid.uuid4().hex[:10]}"
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        try:
            yield graph.workspace(name, Path(folder), config=config)
        finally:
            graph.delete(name)


def recalls(workspace: Workspace, questions: tuple[Question, ...], profile: Any) -> dict[str, Any]:
    """recall@6 of a profile: of all questions with its 95 % interval, by kind, language and age of the note."""
    hits: defaultdict[str, list[bool]] = defaultdict(list)
    for question in questions:
        found = {hit.path for hit in workspace.search(question.text, profile=profile, at=RECENT).hits[:6]}
        for group in ("all", question.kind, question.language, _age(question)):
            hits[group].append(not question.answers.isdisjoint(found))
    shares: dict[str, Any] = {group: round(100 * sum(some) / len(some), 1) for group, some in sorted(hits.items())}
    return shares | {"interval": wilson(sum(hits["all"]), len(hits["all"])), "of": len(questions)}


def _age(question: Question) -> str:
    """How old what answers a question is, at the end of the year."""
    day = day_of(next(iter(question.answers)))
    return "undated" if day is None else age_group(day)


def wilson(hits: int, n: int) -> list[float]:
    """The 95 % interval of a share, in per cent (Wilson 1927)."""
    share, z = hits / n, 1.96
    middle, half = share + z * z / (2 * n), z * ((share * (1 - share) + z * z / (4 * n)) / n) ** 0.5
    return [round(100 * (middle + sign * half) / (1 + z * z / n), 1) for sign in (-1, 1)]


def questions_part(graph: Graph, made: Year) -> dict[str, Any]:
    """recall@6 by profile, and of the profile `current` with one of its parts alone."""
    with workspace_of(graph, made.files) as workspace:
        started = time.perf_counter()
        workspace.sync()
        took = time.perf_counter() - started
        found = {str(profile): recalls(workspace, made.questions, profile) for profile in PROFILES}
        plain = workspace.config
        for name, query in (("seed + decay", QueryConfig(decay=True)), ("seed + mmr", QueryConfig(mmr=True))):
            workspace.config = replace(plain, query=query)
            found[name] = recalls(workspace, made.questions, "seed")
    return {"files": len(made.files), "indexing_s": round(took, 1), "recall@6": found}


def size_part(graph: Graph, notes: int) -> dict[str, Any]:
    """Time of a full index without embedding, and of searches in it. cpu: of this process, without embedding."""
    rng = random.Random(7)
    words = _vocabulary(rng)
    # Zipf: how often words occur; sums, since `choices` would add 20,000 shares up for each line.
    shares = list(accumulate(1 / place for place in range(1, len(words) + 1)))
    files = {
        f"memory/topics/{number}.md": "\n".join(
            " ".join(rng.choices(words, cum_weights=shares, k=LOG_WORDS)) for _ in range(LOG_LINES)
        )
        for number in range(notes)
    }
    own = Graph(graph.store, _WordSums(graph.embedder.dimensions, words), OfflineExtractor())
    with workspace_of(own, files) as workspace:
        embedding = _Timed(own)
        started, cpu, server = time.perf_counter(), time.process_time(), server_cpu()
        workspace.sync(linked=False)
        took, cpu = time.perf_counter() - started, time.process_time() - cpu
        indexed = server_cpu()
        before_recall = time.perf_counter()
        workspace.indexer.hand_over()
        handed_over, recalled = time.perf_counter() - before_recall, server_cpu()
        status, times, parts = workspace.status(), [], _search_parts(workspace, rng, words, shares)
        searched, own_cpu = server_cpu(), time.process_time()
        for _ in range(SEARCHES):
            query = " ".join(rng.choices(words, cum_weights=shares, k=5))
            before = time.perf_counter()
            workspace.search(query)
            times.append(time.perf_counter() - before)
        own_cpu, searched = time.process_time() - own_cpu, server_cpu() - searched
        again = time.perf_counter()
        workspace.sync(linked=False)
        return {
            "files": status.files, "chunks": status.notes, "index_s": round(took - embedding.seconds, 1),
            "index_cpu_s": round(cpu - embedding.cpu, 1), "embedding_s": round(embedding.seconds, 1),
            "recalled_s": round(handed_over, 1), "unchanged_s": round(time.perf_counter() - again, 2),
            "search_ms": quantiles(times[20:]), "search_parts_ms": parts,
            "server_cpu_s": {"index": round(indexed - server, 1), "recalled": round(recalled - indexed, 1)},
            "search_cpu_ms": {
                "server": round(1e3 * searched / SEARCHES, 1), "own": round(1e3 * own_cpu / SEARCHES, 1),
            },
        }  # fmt: skip


def server_cpu() -> float:
    """Seconds of processor time of the managed server that this process has started; 0.0 if there is none."""
    folder = SERVED["folder"]
    for process in psutil.process_iter(["cmdline"]):
        if folder and any(folder in word for word in process.info["cmdline"] or ()) and "java" in process.name():
            times = process.cpu_times()
            return float(times.user + times.system)
    return 0.0


def _vocabulary(rng: random.Random) -> list[str]:
    """Twenty thousand words of two or three syllables, the commonest first."""
    syllables = [
        f"{a}{b}" for a in "bdfglmnprstvz" for b in ("ane", "oru", "ita", "emo", "ulin", "asco", "ero", "ilto")
    ]
    return list(dict.fromkeys("".join(rng.choices(syllables, k=rng.choice((2, 3)))) for _ in range(30_000)))[:20_000]


def _search_parts(
    workspace: Workspace, rng: random.Random, words: list[str], shares: list[float]
) -> dict[str, dict[str, float]]:
    """The times of the two statements of a search, each alone."""
    from oroi_graph.language.normalize import search_words
    from oroi_graph.storage.store import vector

    store, embedder = workspace._means.sets.store, workspace._means.embedder
    shelf = store.one("workspace/read", memory=workspace.memory)["shelf"]
    common = {"memory": workspace.memory, "shelf": shelf, "sources": ["memory"], "most": 24}
    found: dict[str, list[float]] = {"near": [], "words": []}
    for _ in range(120):
        query = " ".join(rng.choices(words, cum_weights=shares, k=5))
        asked: dict[str, dict[str, Any]] = {
            "near": {"vector": vector(embedder.embed([query])[0])},
            "words": {"words": f"shelf:{shelf}^0 AND text:({search_words(query)})"},
        }
        for name, given in asked.items():
            before = time.perf_counter()
            store.rows(f"workspace/{name}", **common, **given)
            found[name].append(time.perf_counter() - before)
    return {name: quantiles(times[20:]) for name, times in found.items()}


class _WordSums:
    """An embedder that costs little: the sum of fixed random vectors of a text's words."""

    model = "word sums"

    def __init__(self, dimensions: int, words: list[str]) -> None:
        self.dimensions = dimensions
        rows = np.random.default_rng(7).standard_normal((len(words), dimensions)).astype(np.float32)
        self._rows, self._places = rows, {word: place for place, word in enumerate(words)}

    def embed(self, texts: Any) -> Any:
        """(n,) texts → (n, dimensions) float32 unit vectors."""
        sums = [self._rows[[self._places[w] for w in text.split() if w in self._places]].sum(axis=0) for text in texts]
        whole = np.stack(sums) + 1e-3
        return whole / np.linalg.norm(whole, axis=1, keepdims=True)


class _Timed:
    """Adds up the seconds that a graph's embedder takes."""

    def __init__(self, graph: Graph) -> None:
        self.seconds, self.cpu, embedder = 0.0, 0.0, graph.embedder
        real = embedder.embed_words

        def timed(texts: Any) -> Any:
            started, cpu = time.perf_counter(), time.process_time()
            try:
                return real(texts)
            finally:
                self.seconds += time.perf_counter() - started
                self.cpu += time.process_time() - cpu

        embedder.embed_words = timed  # type: ignore[method-assign]


INDEXING = """
import sys
from oroi_graph.cli import main
sys.exit(main(["workspace", "index", sys.argv[1], *sys.argv[2:]]))
"""


APPENDING = """
import sys
from pathlib import Path
from oroi_graph.workspace.files.writing import NoteWriter
from oroi_graph.workspace.layout import Layout
writer, number = NoteWriter(Layout.of(Path(sys.argv[1])), by=sys.argv[2]), 0
while True:
    writer.append(f"- {sys.argv[2]} wrote line {number} of its own")
    print(number, flush=True)
    number += 1
"""


def kills_part(graph: Graph, kills: int, variables: dict[str, str]) -> dict[str, Any]:
    """Indexing processes are killed; the old index answers, and the last run completes the new one."""
    files = {f"memory/{number}.md": f"note {number} about topic{number}\n" * 20 for number in range(400)}
    rng, answered, asked, same, reached = random.Random(3), 0, 0, 0, 0
    with workspace_of(graph, files) as workspace:
        register(graph.store, workspace.memory, workspace.layout.root, None)
        workspace.sync(linked=False)
        before = {topic: _paths(workspace, topic) for topic in range(0, 400, 10)}
        command = [sys.executable, "-c", INDEXING, workspace.memory, "--full"]
        for _ in range(kills):
            process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            started = workspace.status().rebuilding
            # The clock runs from the moment at which the process has begun: how long it loads depends on the machine.
            while not started and process.poll() is None:
                started = workspace.status().rebuilding
            end = time.monotonic() + rng.uniform(0.0, 3.0)
            while time.monotonic() < end and process.poll() is None:
                topic = rng.choice(list(before))
                found = _paths(workspace, topic)
                asked, answered, same = asked + 1, answered + bool(found), same + (found == before[topic])
            reached += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
        report = workspace.sync(linked=False)
        status = workspace.status()
        whole = {topic: _paths(workspace, topic) for topic in before} == before
        return {
            "kills": kills, "killed_at_work": reached, "searches": asked, "answered": answered, "same": same,
            "files": status.files, "bare": status.bare, "rebuilt": report.rebuilt, "due": status.due,
            "same_afterwards": whole,
        } | appends(kills)  # fmt: skip


def appends(kills: int) -> dict[str, Any]:
    """Two writers append to one log while one after the other is killed; no line that was reported may be missing."""
    rng, lost, torn, told = random.Random(5), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "memory").mkdir()
        reported: set[str] = set()
        for number in range(kills):
            names = [f"w{number}a", f"w{number}b"]
            both = [
                subprocess.Popen([sys.executable, "-c", APPENDING, folder, name], stdout=subprocess.PIPE, text=True)
                for name in names
            ]
            for process in both:
                assert process.stdout is not None
                process.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.5))
            for process, name in zip(both, names, strict=True):
                process.send_signal(signal.SIGKILL)
                rest = process.communicate()[0].splitlines()
                last = max([0, *(int(line) for line in rest if line.isdigit())])
                reported |= {f"- {name} wrote line {line} of its own" for line in range(last + 1)}
        lines = [line for path in (Path(folder) / "memory").glob("*.md") for line in path.read_text().splitlines()]
        told, lost = len(reported), len(reported - set(lines))
        torn = sum(1 for line in lines if line and not line.endswith(" of its own"))
        changes = Journal(Path(folder) / ".oroi").changes()
    return {"appended": told, "lost_lines": lost, "torn_lines": torn, "changes_in_history": len(changes)}


def _paths(workspace: Workspace, topic: int) -> list[str]:
    return [hit.path for hit in workspace.search(f"topic{topic}", max_results=3).hits]


def main() -> None:
    """Run the parts that are asked for; print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--parts", default="questions,development,size,kills", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--notes", type=int, default=10_000, help="files of the large index")
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    parts = given.parts.split(",")
    if not set(parts) <= set(PARTS):
        parser.error(f"--parts must be of {', '.join(PARTS)}")
    settings = read_settings()
    SERVED["folder"] = str(given.managed or "")
    found: dict[str, Any] = {}
    with (
        serving(given, settings) as address,
        Store(address.uri, address.user, address.password, address.database) as store,
    ):
        embedder = MiniLM(ensure_minilm(settings.cache_dir))
        prepare_schema(store, embedder.dimensions)
        graph = Graph(store, embedder, OfflineExtractor())
        for part in parts:
            if part == "questions":
                found[part] = questions_part(graph, year())
            elif part in SETS:
                found[part] = questions_part(graph, written_year(part))
            elif part == "size":
                found[part] = size_part(graph, given.notes)
            else:
                found[part] = kills_part(graph, given.kills, environment(address))
    text = json.dumps(found, indent=2, ensure_ascii=False)
    print(text)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
