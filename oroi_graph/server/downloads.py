"""Downloads over HTTPS, from servers that the operating system trusts.

`requests` by itself trusts its own list of authorities. A company's proxy may sign with an authority of its own that
only the operating system knows: `truststore` asks the system. REQUESTS_CA_BUNDLE and the proxy variables are respected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from oroi_graph.server.trust import system_trust

_CHUNK = 1 << 16  # bytes


class SystemTrust(HTTPAdapter):
    """Verifies a server as the operating system would."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, ssl_context=system_trust(), **kwargs)

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        return super().proxy_manager_for(proxy, ssl_context=system_trust(), **kwargs)


def fetch(url: str, path: Path, *, timeout: float) -> None:
    """Write what is at `url` to `path`, in place of what is there.

    timeout: seconds without a byte. Raises requests.RequestException (HTTPError: any answer but success) and OSError.
    """
    with requests.Session() as session:
        session.mount("https://", SystemTrust())
        with session.get(url, stream=True, timeout=timeout) as response:
            response.raise_for_status()
            with path.open("wb") as file:
                for chunk in response.iter_content(_CHUNK):
                    file.write(chunk)
