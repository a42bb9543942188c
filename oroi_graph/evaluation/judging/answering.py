"""Answers of a chat model to the questions of a data set, each condition's context at hand, and whether they are right.

The model is given what it would be given in use: the question as the user's turn, the context appended to it. Whether
its answer is right is said by a judge, a model that sees the question, the expected answer and the given one, but
neither context nor condition; without a judge, by the words that a probe requires and forbids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from oroi_graph.evaluation.datasets.dataset import Question
from oroi_graph.evaluation.judging.expected import Expected
from oroi_graph.model import exact_object
from oroi_graph.providers.openai.service import Answer, Service, Task, UnusableError, instructions

THREADS = 4
LONGEST = 2_000  # characters of an answer that a judge is shown

# unanswered: the model said nothing at all, which is wrong; unjudged: the judge gave no usable verdict, twice.
Verdict = Literal["correct", "incorrect", "unanswered", "unjudged"]

_PROMPTS = "oroi_graph.evaluation.judging"
_GRADING = Task(
    "grade",
    exact_object(reason={"type": "string"}, verdict={"type": "string", "enum": ["correct", "incorrect"]}),
    _PROMPTS,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with the context of one condition. asker: whose "I" it is; at: when it is asked, where dated."""

    condition: str
    question: Question
    context: str
    asker: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answered, and what that is worth. reason: the judge's."""

    condition: str
    question: Question
    expected: str
    answer: str
    verdict: Verdict
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        return {
            "id": self.question.id,
            "groups": list(self.question.groups),
            "condition": self.condition,
            "question": self.question.text,
            "expected": self.expected,
            "answer": self.answer,
            "verdict": self.verdict,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Chat:
    """A model behind a service."""

    service: Service
    model: str

    @property
    def name(self) -> str:
        """ "openai:" and the model's name."""
        return f"openai:{self.model}"


class Answerer:
    """Has questions answered and the answers judged, several at a time; `replies` collects them in their order.

    expected: the right answers by question id; a question without one is not asked. judge: None to match words.
    """

    def __init__(
        self, chat: Chat, expected: Mapping[str, Expected], *, judge: Chat | None = None, threads: int = THREADS
    ) -> None:
        self.chat, self.judge = chat, judge
        self.replies: list[Reply] = []
        self._expected = expected
        self._threads = threads

    def take(self, asked: Sequence[Asked], done: Callable[[], None] = lambda: None) -> None:
        """Add the replies to these questions. done: called for each, in their order.

        Raises EvaluationError and ProviderError; what is under way is then finished, what is not begun left.
        """
        pool = ThreadPoolExecutor(self._threads, thread_name_prefix="oroi-answers")
        try:
            waiting = [pool.submit(self._reply, one) if one.question.id in self._expected else None for one in asked]
            for future in waiting:
                if future is not None:
                    self.replies.append(future.result())
                done()
        finally:
            pool.shutdown(cancel_futures=True)

    def _reply(self, asked: Asked) -> Reply:
        expected = self._expected[asked.question.id]
        said = self.chat.service.complete(self.chat.model, prompt(asked)).said.strip()
        verdict, reason = self._verdict(asked.question, expected, said)
        return Reply(asked.condition, asked.question, expected.text, said, verdict, reason)

    def _verdict(self, question: Question, expected: Expected, said: str) -> tuple[Verdict, str | None]:
        if not said:
            return "unanswered", None
        if self.judge is None:
            return ("correct" if expected.met_by(said) else "incorrect"), None
        document = {"question": question.text, "expected": expected.text, "answer": said[:LONGEST]}
        try:
            return self.judge.service.structured(self.judge.model, _GRADING, document, _grade)
        except UnusableError as error:
            return "unjudged", error.detail


def prompt(asked: Asked) -> list[dict[str, str]]:
    """The messages that ask a question: the context goes to the user's turn, as in use."""
    system = instructions("answer", _PROMPTS).format(
        asker=f" of {asked.asker}" if asked.asker else "", date=f" on {asked.at.date()}" if asked.at else ""
    )
    text = asked.question.text
    content = f"{text}\n\n{asked.context}" if asked.context else text
    return [{"role": "system", "content": system}, {"role": "user", "content": content}]


def _grade(answer: Answer) -> tuple[Verdict, str]:
    """The verdict and its reason. Raises UnusableError."""
    data = answer.json()
    verdict, reason = (data.get("verdict"), data.get("reason")) if isinstance(data, Mapping) else (None, None)
    if verdict not in ("correct", "incorrect"):
        raise UnusableError(f'"verdict" is "correct" or "incorrect", got {str(verdict)[:40]!r}')
    if not isinstance(reason, str):
        raise UnusableError(f'"reason" is text, got {str(reason)[:40]!r}')
    return verdict, " ".join(reason.split())
