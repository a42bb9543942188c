"""evaluate: how much a memory recalls, against baselines, on data given by path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from oroi_graph.cli.output import emit, remark, table
from oroi_graph.cli.session import COUNT, PATH, Session, counting, stopping
from oroi_graph.errors import InputError
from oroi_graph.options import Progress
from oroi_graph.settings import EXTRACTORS, RECORDED, Settings

if TYPE_CHECKING:
    from oroi_graph.evaluation.datasets.dataset import Dataset
    from oroi_graph.evaluation.judging.models import Models

F = TypeVar("F", bound=Callable[..., None])


def _options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator; the last one is shown first."""
    return lambda command: reduce(lambda optioned, option: option(optioned), options, command)


# The options that every evaluation has.
_shared = _options(
    click.option(
        "--keep", is_flag=True, help="Keep the memories that are built, and use those that an earlier run kept."
    ),
    click.option("--seed", default=0, show_default=True, help="Of the resampling behind the intervals."),
    click.option("--limit", type=COUNT, metavar="N", help="Only the first N of the file."),
    click.option("--failures", type=PATH, metavar="FILE", help="Write what went wrong, and why, as Markdown."),
    click.option("--json", "out", type=PATH, metavar="OUT", help="Write the results as JSON for programs."),
    click.option(
        "--condition", "names", multiple=True, metavar="NAME",
        help="none, hybrid, hybrid-z, facts, rerank, pagerank or oroi (may be repeated); all by default.",
    ),
)  # fmt: skip
# Those of evaluations that models can take part in.
_modelled = _options(
    click.option("--transcript", type=PATH, metavar="FILE", help="Write every answer and verdict as JSON lines."),
    click.option(
        "--parallel", "threads", type=click.IntRange(1, 64), default=4, show_default=True, metavar="N",
        help="Answers and verdicts asked for at a time.",
    ),
    click.option(
        "--max-calls", type=click.IntRange(0), metavar="N",
        help="Stop before more than N calls are sent; what was answered stays recorded.",
    ),
    click.option(
        "--replay", type=PATH, metavar="FILE", help="Find every model call in FILE: nothing is sent, no key needed."
    ),
    click.option(
        "--record", type=PATH, metavar="FILE",
        help="Append every model call to FILE, as it is answered; those that FILE holds are not sent again.",
    ),
    click.option("--judge", metavar="NAME", help="A model says which answers are right: openai or openai:MODEL."),
    click.option(
        "--answers", metavar="NAME", help="A model answers from each context: openai (OROI_CHAT_MODEL) or openai:MODEL."
    ),
)  # fmt: skip


@click.group()
def evaluate() -> None:
    """How much is recalled: the product against baselines.

    Every scenario, conversation or corpus is perceived once into a memory of its own, which all conditions read and
    which is deleted afterwards. With offline providers, and nobody else writing to the database meanwhile, two runs
    write the same JSON, but for its timings.

    \b
    Example:
      oroi evaluate scenarios scenarios.jsonl --extraction gold --json results.json
    """
    from oroi_graph.interfaces.extras import require

    require("evaluation")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options that every evaluation has, and those of models."""

    names: tuple[str, ...]
    out: Path | None
    failures: Path | None
    limit: int | None
    seed: int
    keep: bool
    answers: str | None = None
    judge: str | None = None
    record: Path | None = None
    replay: Path | None = None
    max_calls: int | None = None
    threads: int = 1
    transcript: Path | None = None

    def models(self, settings: Settings, dataset: Dataset) -> Models:
        """The models that are asked. Raises InputError, SettingsError."""
        from oroi_graph.evaluation.judging.expected import of_questions
        from oroi_graph.evaluation.judging.models import ModelOptions, Models

        options = ModelOptions(
            answers=self.answers, judge=self.judge, record=self.record, replay=self.replay, max_calls=self.max_calls,
            threads=self.threads,
        )  # fmt: skip
        if self.transcript is not None and self.answers is None:
            raise InputError("--transcript has no answers to write: give --answers, too")
        return Models(options, settings, of_questions(dataset) if self.answers is not None else {})


@evaluate.command()
@click.argument("file", type=PATH)
@click.option(
    "--extraction", default="gold", show_default=True, metavar="NAME",
    help="Who says what a turn states: gold (the file), offline, openai or recorded:PATH.",
)  # fmt: skip
@_modelled
@_shared
@click.pass_obj
def scenarios(session: Session, /, file: Path, extraction: str, **given: Any) -> None:
    """Recall@context of the scenarios in FILE.

    A probe is right if the context says all that it requires and nothing that it forbids. With --answers a model
    answers from each condition's context, too (answer_accuracy): right by the same words, or as --judge says. Recorded
    are calls of the chat model: extraction, choices of records (OROI_RERANKER=openai), answers, verdicts.

    \b
    Example:
      oroi evaluate scenarios scenarios.jsonl --extraction offline --condition hybrid --condition oroi
      oroi evaluate scenarios scenarios.jsonl --answers openai --judge openai:gpt-4o --record calls.jsonl
      oroi evaluate scenarios scenarios.jsonl --answers openai --judge openai:gpt-4o --replay calls.jsonl
    """
    from oroi_graph.evaluation.datasets.scenarios import GOLD, read_scenarios

    if extraction not in (GOLD, *EXTRACTORS) and not extraction.startswith(RECORDED):
        raise InputError(f"--extraction must be gold, offline, openai or recorded:PATH, got {extraction!r}")
    # Gold needs no extractor: whichever is set would never be asked.
    session = session.with_setting(extractor="offline" if extraction == GOLD else extraction)
    wanted = Wanted(**given)
    _run(session, lambda: read_scenarios(file, extraction, wanted.limit), wanted)


@evaluate.command()
@click.argument("file", type=PATH)
@click.option("--facts", is_flag=True, help="Turns state what the data set's own observations say of them.")
@click.option(
    "--extraction", metavar="NAME",
    help="Who says what other turns state: offline, openai or recorded:PATH; OROI_EXTRACTOR by default.",
)  # fmt: skip
@_modelled
@_shared
@click.pass_obj
def locomo(session: Session, /, file: Path, facts: bool, extraction: str | None, **given: Any) -> None:
    """Recall of evidence turns on LoCoMo's conversations in FILE.

    The metrics are over categories 1 to 4; every category is a group of its own. --limit counts conversations. With
    --answers and --judge a model answers from each condition's context, and a model says which answers are right
    (answer_accuracy); questions of category 5 should not be answered. Recorded are calls of the chat model: extraction,
    choices of records (OROI_RERANKER=openai), answers, verdicts.

    \b
    Example:
      oroi evaluate locomo locomo10.json --facts --json results.json
      oroi evaluate locomo locomo10.json --answers openai --judge openai --record calls.jsonl --max-calls 5000
    """
    from oroi_graph.evaluation.datasets.locomo import read_conversations
    from oroi_graph.extraction.offline import OfflineExtractor

    if extraction is not None:
        if extraction not in EXTRACTORS and not extraction.startswith(RECORDED):
            raise InputError(f"--extraction must be offline, openai or recorded:PATH, got {extraction!r}")
        session = session.with_setting(extractor=extraction)
    wanted = Wanted(**given)
    if wanted.answers is not None and wanted.judge is None:
        raise InputError(
            "--answers needs --judge here: the expected answers are sentences that no words can be matched by"
        )
    observer = OfflineExtractor() if facts else None
    _run(session, lambda: read_conversations(file, observer, wanted.limit), wanted)


@evaluate.command()
@click.argument("corpus", type=PATH)
@click.argument("questions", type=PATH)
@_shared
@click.pass_obj
def musique(session: Session, /, corpus: Path, questions: Path, **given: Any) -> None:
    """Recall of supporting passages on MuSiQue.

    CORPUS holds passages with the triples that were extracted from them, QUESTIONS what is asked of them; both are
    JSON lines. --limit counts questions: all passages are perceived.

    \b
    Example:
      oroi evaluate musique corpus.jsonl questions.jsonl --json results.json
    """
    from oroi_graph.evaluation.datasets.musique import read_passages

    wanted = Wanted(**given)
    _run(session, lambda: read_passages(corpus, questions, wanted.limit), wanted)


@evaluate.command()
@click.argument("file", type=PATH)
@click.option("--json", "out", type=PATH, metavar="OUT", help="Write the results as JSON for programs.")
@click.option("--limit", type=COUNT, metavar="N", help="Only the first N of the file.")
@click.option("--seed", default=0, show_default=True, help="Of the resampling behind the intervals.")
@click.option("--reader", metavar="NAME", help="offline or openai; OROI_WINDOWS by default.")
@click.pass_obj
def dates(session: Session, /, file: Path, out: Path | None, limit: int | None, seed: int, reader: str | None) -> None:
    """How well the times that questions name are read as windows of days.

    exact: the days read are those of the line or of one of its alternatives. contains: no right day is missing.
    none_right: of the questions that name no time of the conversation, those for which none was read. overlap: days in
    common over all days. Then what became of each kind of time, if the lines tell kinds, and the ten worst misses. No
    database is needed.

    \b
    Example:
      oroi evaluate dates dates.jsonl --json results.json
    """
    from oroi_graph.connection import open_windows
    from oroi_graph.evaluation.dates import VERDICTS, evaluate_dates, read_dates
    from oroi_graph.evaluation.results import check_writable, write_text

    if out is not None:
        check_writable(out)
    session = session.with_setting(windows=reader) if reader is not None else session
    read = open_windows(session.settings)
    results = evaluate_dates(
        read_dates(file)[:limit], lambda question, today, language: read(question, today, language=language), seed
    )
    if out is not None:
        write_text(out, results.text())
    emit(table(["language", "n", "exact", "contains", "none_right", "overlap"], results.rows()))
    if kinds := results.confusion():
        emit("\n" + table(["kind", "n", *VERDICTS], kinds))
    if worst := results.worst():
        emit("\n" + table(["worst misses", "right", "read", "overlap"], worst))


@evaluate.command()
@click.option("--json", "out", type=PATH, metavar="OUT", help="Write the results as JSON for programs.")
@click.option(
    "--locomo", type=PATH, metavar="FILE", help="Sessions of LoCoMo's FILE, re-dated, in place of generated ones."
)
@click.option("--dialogues", type=click.IntRange(200), default=1000, show_default=True, help="Dialogues generated.")
@click.option("--seed", default=0, show_default=True, help="Of the dialogues, their days and the questions.")
@click.option("--keep", is_flag=True, help="Keep the memory that is built, and use it if an earlier run kept it.")
@click.pass_obj
def windows(session: Session, /, out: Path | None, locomo: Path | None, dialogues: int, seed: int, keep: bool) -> None:
    """Dialogues found by time and theme, after the protocol of episodic windows.

    1,000 dialogues on a day each; 51 questions in three folds name a theme and a time, some a wrong one. Compared: with
    and without windows; dialogue vectors of the whole text, YAKE's or RAKE's keywords; k of 3, 6 and 9. k and theme are
    chosen on the first folds. BERTScore's tokens are those of the embedder in use (signs of all-MiniLM's last states).

    \b
    Example:
      oroi evaluate windows --json windows.json
    """
    from oroi_graph.evaluation.results import check_writable, write_text
    from oroi_graph.evaluation.windows.dialogues import generated, of_locomo
    from oroi_graph.evaluation.windows.protocol import ask_all
    from oroi_graph.evaluation.windows.report import WindowResults

    if out is not None:
        check_writable(out)
    data = generated(seed, dialogues) if locomo is None else of_locomo(locomo, seed)
    with session.graph() as graph, _counting_steps(data.name) as progress:
        scored = ask_all(graph, data, keep=keep, progress=progress)
        results = WindowResults(data, graph.embedder.model, seed, scored)
    if out is not None:
        write_text(out, results.text())
    for found in results.tables():
        emit(f"{found.title}\n{table(found.columns, found.rows)}\n")


@contextmanager
def _counting_steps(title: str) -> Iterator[Progress]:
    """A bar of steps; the one that follows Ctrl-C ends the run, and the memory under way is deleted on the way out."""
    with stopping() as stop, counting("steps", title) as show:

        def progress(done: int, total: int, label: str) -> None:
            if stop.is_set():
                raise KeyboardInterrupt
            show(done, total, label)

        yield progress


def _run(session: Session, read: Callable[[], Dataset], wanted: Wanted) -> None:
    """Check all that can be checked, evaluate, write, print."""
    from oroi_graph.evaluation.baselines.conditions import chosen
    from oroi_graph.evaluation.judging.answered import answer_tables
    from oroi_graph.evaluation.report import Failures, tables
    from oroi_graph.evaluation.results import check_writable, write_text
    from oroi_graph.evaluation.run import EvaluationRun, reported
    from oroi_graph.evaluation.run import evaluate as run

    conditions = chosen(wanted.names)
    for path in filter(None, (wanted.out, wanted.failures, wanted.transcript)):
        check_writable(path)
    dataset = read()
    models = wanted.models(session.settings, dataset)
    failures = Failures(dataset, reported(conditions)) if wanted.failures is not None else None
    # Replaced below by those whose calls are recorded.
    if models.extractor is not None:
        session = session.with_setting(extractor="offline")
    if models.reranker is not None:
        session = session.with_setting(reranker="offline")
    with session.graph() as graph, _counting_steps(dataset.name) as progress:
        graph.extractor = models.extractor or graph.extractor
        graph.reranker = models.reranker or graph.reranker
        under_way = EvaluationRun(
            seed=wanted.seed, keep=wanted.keep, failures=failures, answerer=models.answerer, progress=progress
        )
        results = run(graph, dataset, conditions, under_way)
    results = models.added_to(results) if models.used else results
    for target, text in (
        (wanted.out, results.text),
        (wanted.transcript, models.transcript),
        (wanted.failures, failures.text if failures is not None else str),
    ):
        if target is not None:
            write_text(target, text())
    for found in (*tables(results), *answer_tables(results)):
        emit(f"{found.title}\n{table(found.columns, found.rows)}\n")
    remark(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in results.counts.items() if count))
    if models.used:
        remark(f"{models.calls.sent} calls were sent to a model")
