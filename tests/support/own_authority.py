"""A server of HTTPS whose authority only the operating system knows, as behind a company's proxy."""

from __future__ import annotations

import ssl
from http.server import HTTPServer
from pathlib import Path

import pytest
import trustme


def secure(server: HTTPServer, folder: Path, patch: pytest.MonkeyPatch, *, trusted: bool) -> None:
    """Let a server that listens on 127.0.0.1 speak TLS, signed by an authority of its own.

    trusted: the system knows that authority (OpenSSL's SSL_CERT_FILE; libraries' own lists do not), else another one.
    """
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    (authority if trusted else trustme.CA()).cert_pem.write_to_path(str(folder / "authority.pem"))
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_DIR"):
        patch.delenv(name, raising=False)
    patch.setenv("SSL_CERT_FILE", str(folder / "authority.pem"))
