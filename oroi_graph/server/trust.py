"""Which HTTPS certificates are trusted: those that the operating system trusts, a company's own authority included."""

from __future__ import annotations

import ssl

import truststore


def system_trust() -> ssl.SSLContext:
    """Verifies a server as the operating system would; libraries by themselves trust lists of their own."""
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
