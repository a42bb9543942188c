"""From options to the models that an evaluation asks: who extracts, chooses records, answers and judges.

All of their calls are recorded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oroi_graph.errors import InputError
from oroi_graph.evaluation.errors import EvaluationError
from oroi_graph.evaluation.judging.answering import THREADS, Answerer, Chat
from oroi_graph.evaluation.judging.expected import Expected
from oroi_graph.evaluation.judging.recording import Calls, EndOfCalls, RecordedService
from oroi_graph.evaluation.results import Results
from oroi_graph.model import Extraction, Utterance
from oroi_graph.providers.openai.models import CHAT_MODEL, OpenAIExtractor
from oroi_graph.providers.openai.reranker import OpenAIReranker
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.settings import Settings

OPENAI = "openai"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Which models an evaluation asks. Raises InputError for options that do not go together.

    answers, judge: "openai", or "openai:" and a model; None: nobody. record: where calls are recorded, and found
    again; replay: where all of them are found. max_calls: that may be sent. threads: answers under way at a time.
    """

    answers: str | None = None
    judge: str | None = None
    record: Path | None = None
    replay: Path | None = None
    max_calls: int | None = None
    threads: int = THREADS

    def __post_init__(self) -> None:
        for option, name in (("--answers", self.answers), ("--judge", self.judge)):
            if name is not None and not re.fullmatch(rf"{OPENAI}(:\S.*)?", name):
                raise InputError(f"{option} must be openai or openai:MODEL, got {name!r}")
        if self.judge is not None and self.answers is None:
            raise InputError("--judge has nothing to judge: give --answers, too")
        if self.record is not None and self.replay is not None:
            raise InputError("--record and --replay exclude each other: --record also reads what it recorded before")


class RecordedOpenAIExtractor(OpenAIExtractor):
    """The product's extractor, its calls recorded. Where no answer is to be had it ends all: no turn goes without."""

    def extract(self, turn: Utterance, window: Sequence[Utterance]) -> Extraction:
        """As the product's. Raises EndOfCalls instead of EvaluationError."""
        try:
            return super().extract(turn, window)
        except EvaluationError as error:
            raise EndOfCalls(error) from None


class Models:
    """The models of one evaluation. extractor, reranker: None where none is asked to extract, or to choose records;
    answerer: None without answers."""

    def __init__(self, options: ModelOptions, settings: Settings, expected: Mapping[str, Expected]) -> None:
        path = options.replay or options.record
        replay = options.replay is not None
        self.calls = Calls(path, replay=replay, limit=options.max_calls)
        default = settings.chat_model or CHAT_MODEL
        # Replaying sends nothing, so it needs no key.
        key = settings.openai_api_key or ("replay" if replay else None)

        def service(kind: str) -> RecordedService:
            endpoint = Endpoint(api_key=key, base_url=settings.openai_base_url, timeout=settings.timeout)
            return RecordedService(endpoint, self.calls, kind)

        def chat(kind: str, name: str | None) -> Chat | None:
            return Chat(service(kind), name.removeprefix(OPENAI).removeprefix(":") or default) if name else None

        self.extractor: OpenAIExtractor | None = None
        if settings.extractor == OPENAI:
            self.extractor = RecordedOpenAIExtractor(service("extraction"), default)
        self.reranker: OpenAIReranker | None = None
        if settings.reranker == OPENAI:
            # Where no answer is to be had its service ends the evaluation, and recall does not go on without a choice.
            self.reranker = OpenAIReranker(service("reranking"), default)
        answers, judge = chat("answer", options.answers), chat("judge", options.judge)
        self.answerer: Answerer | None = None
        if answers is not None:
            self.answerer = Answerer(answers, expected, judge=judge, threads=options.threads)
        self._names = {
            "extraction": self.extractor.name if self.extractor else None,
            **({"reranking": self.reranker.name} if self.reranker else {}),
            "answers": answers.name if answers else None,
            "judge": judge.name if judge else None,
        }

    @property
    def used(self) -> bool:
        """Whether any model is asked."""
        return any(self._names.values())

    def added_to(self, results: Results) -> Results:
        """The results with who was asked (extraction, reranking, answers, judge), how often, and the tokens of it."""
        usage = self.calls.usage()
        counted = ("calls", "input_tokens", "output_tokens")
        counts = {f"model_{name}": sum(found[name] for found in usage.values()) for name in counted}
        return replace(results, model={**self._names, "usage": usage}, counts={**results.counts, **counts})

    def transcript(self) -> str:
        """JSON lines: every answer with its question, condition, verdict and the judge's reason."""
        replies = self.answerer.replies if self.answerer is not None else []
        return "".join(json.dumps(reply.to_json(), ensure_ascii=False) + "\n" for reply in replies)
