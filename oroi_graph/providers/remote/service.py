"""A service with a JSON interface of its own: requests, tries, waits; every failure becomes one ProviderError.

A call is tried again as those of `openai.service` are. Redirections are refused, since the key would travel along; it
appears in no error, repr or log.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from oroi_graph.errors import ProviderError
from oroi_graph.providers.openai.service import UNREADABLE, Endpoint, growing, retry_after

if TYPE_CHECKING:
    import requests

_T = TypeVar("_T")
_LONGEST = 300  # characters of what a service says, in an error


class JsonService:
    """One client of one endpoint; safe to share among threads. secret: the header with the key, and its value."""

    def __init__(self, endpoint: Endpoint, secret: tuple[str, str]) -> None:
        self.endpoint = endpoint
        self._headers = {secret[0]: secret[1], **endpoint.headers}
        self._threads = threading.local()

    def ask(
        self, path: str, body: Mapping[str, Any] | None, read: Callable[[Any], _T], *, tries: int | None = None
    ) -> _T:
        """What `read` makes of the JSON answer to a POST of `body`, or to a GET without one. Raises ProviderError.

        tries: after the first one; those of the endpoint by default.
        """
        text = self._send(path, body, self.endpoint.retries if tries is None else tries)
        try:
            return read(json.loads(text))
        except UNREADABLE as error:
            raise ProviderError(
                f"{self.endpoint.shown} answered with something else than the {self.endpoint.service} interface does "
                f"({type(error).__name__}): check the base URL"
            ) from error

    def _send(self, path: str, body: Mapping[str, Any] | None, tries: int) -> bytes:
        for number in range(tries + 1):
            answer, failure = self.once(path, body)
            if answer is not None and answer.status_code == 200:
                return answer.content
            wait = self._wait(answer, number)
            if wait is None or number == tries:
                break
            time.sleep(wait)
        # A chained error would print what the service echoed.
        raise ProviderError(self._sentence(answer, failure))

    def once(self, path: str, body: Mapping[str, Any] | None) -> tuple[requests.Response | None, str]:
        """One request: its answer, or what prevented one."""
        import requests

        url = f"{self.endpoint.address}/{path}"
        common: dict[str, Any] = {"headers": self._headers, "timeout": self.endpoint.timeout, "allow_redirects": False}
        try:
            if body is None:
                return self._session().get(url, **common), ""
            return self._session().post(url, json=body, **common), ""
        except requests.Timeout:
            return None, f"did not answer within {self.endpoint.timeout:g} s: try again later, or raise OROI_TIMEOUT"
        except requests.RequestException:
            return None, "cannot be reached: check its base URL and the network"

    def _session(self) -> requests.Session:
        """This thread's own."""
        import requests

        from oroi_graph.server.downloads import SystemTrust

        if not hasattr(self._threads, "session"):
            self._threads.session = requests.Session()
            self._threads.session.mount("https://", SystemTrust())
        session: requests.Session = self._threads.session
        return session

    def _wait(self, answer: requests.Response | None, tries: int) -> float | None:
        """Seconds until the next try; None where another one is useless."""
        if answer is None:
            return growing(self.endpoint, tries)
        if answer.status_code != 429 and answer.status_code < 500:
            return None
        asked = retry_after({name.lower(): value for name, value in answer.headers.items()})
        if asked is None:
            return growing(self.endpoint, tries)
        return asked if asked <= self.endpoint.max_wait else None

    def _sentence(self, answer: requests.Response | None, failure: str) -> str:
        where, service = self.endpoint.shown, self.endpoint.service
        if answer is None:
            return f"{where} {failure}"
        said, code = self._said(answer), answer.status_code
        if code in (401, 403):
            return f"{where} refused the key ({said}): check OROI_{service.upper()}_API_KEY"
        if code == 429 or code >= 500:
            return f"{where} is overloaded or failing ({said}): try again later"
        return f"{where} refused the request ({code}: {said}): check the model's name and the base URL"

    def _said(self, answer: requests.Response) -> str:
        """What the service says of its failure, without any secret that it repeats."""
        try:
            body = answer.json()
            error = body.get("error", body)
            said = str(error.get("message") or body.get("detail") or "") if isinstance(error, dict) else str(error)
        except UNREADABLE:
            said = answer.text
        return " ".join(self.endpoint.masked(said).split())[:_LONGEST] or f"status {answer.status_code}"
