"""The built-in redactor: what it finds and what it leaves (its time: `support/long_texts`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import table

from oroi_graph.errors import SettingsError
from oroi_graph.redaction import Redaction, as_counts, as_list, redacted_lines
from oroi_graph.redaction.builtin import BuiltInRedactor
from oroi_graph.settings import REDACTED, Settings

REDACT = BuiltInRedactor()

FOUND = [
    ("My e-mail is ana.ruiz@example.com, write me.", "My e-mail is [email], write me."),
    ("Escríbeme a josé@correo.es.", "Escríbeme a [email]."),
    ("Call me at +34 612 34 56 78 or 612345678.", "Call me at [phone] or [phone]."),
    ("Ana's phone is (212) 736-5000.", "Ana's phone is [phone]."),
    ("Liga para 11 98765-4321.", "Liga para [phone]."),
    ("The card is 4111 1111 1111 1111, until 12/27.", "The card is [card], until 12/27."),
    ("The card is 5500-0000-0000-0004.", "The card is [card]."),
    ("IBAN ES91 2100 0418 4502 0005 1332 is mine.", "IBAN [iban] is mine."),
    ("gb82west12345698765432", "[iban]"),
    ("my password is hunter2!", "my password is [secret]!"),
    ("La contraseña es «mi perro».", "La contraseña es «[secret]»."),
    ("A senha: abc123.", "A senha: [secret]."),
    ("Clave: Ñandú77", "Clave: [secret]"),
    ("My PIN is 4821.", "My PIN is [secret]."),
    ("AKIAIOSFODNN7EXAMPLE", "[secret]"),
    ("ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "[secret]"),
    ("Authorization: Bearer abcdefghijklmnop1234", "Authorization: [secret]"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpM", "[secret]"),
    ("postgres://app:s3cr3tpw@db/x", "postgres://app:[secret]@db/x"),
    ("xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx", "[secret]"),
    ("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAbc=\n-----END RSA PRIVATE KEY-----\nb", "a\n[secret]\n\n\n\nb"),
    ("-----BEGIN PRIVATE KEY-----\nMIIE\ncut short", "[secret]\n\ncut short"),
]  # fmt: skip
LEFT = [
    "The meeting is on 2026-03-14 at 15:00, room 123.",
    "I paid 15,000 euros; 1234567 people came in 1999-2003.",
    "4111 1111 1111 1112 is no card.",
    "ES92 2100 0418 4502 0005 1332 is no account.",
    "The password is secret and hard; la clave es trabajar; the token is in the drawer.",
    "commit 3f2a9c1b0d4e5f60718293a4b5c6d7e8f9012345, 550e8400-e29b-41d4-a716-446655440000",
    "Server4 has 10.0.0.1 and 2001:db8::1, v1.2.3; follow @ana on example.org.",
    "ISBN 978-3-16-148410-0 costs 99.95.",
    "[email], [phone], [card], [iban] and [secret].",
]


@table("text, without", FOUND)
def test_found(text: str, without: str) -> None:
    assert REDACT(text).text == without


@table("text", LEFT)
def test_left(text: str) -> None:
    assert REDACT(text).text == text
    assert REDACT(text).counts == {}


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(st.sampled_from([text for text, _ in FOUND] + LEFT), st.text(max_size=30))))
def test_a_second_look_finds_nothing_and_lines_stay(parts: list[str]) -> None:
    text = " ".join(parts)
    once = REDACT(text)
    again = REDACT(once.text)
    assert (again.text, again.counts) == (once.text, {})
    assert once.text.count("\n") == text.count("\n")


def test_far_apart_in_a_long_text() -> None:
    """Wherever a secret stands, at the seams of the pieces, too."""
    for before in (0, 3_290, 3_299, 3_300, 3_301, 3_985, 3_999, 4_000, 9_999):
        assert REDACT("x " * (before // 2) + "ana.ruiz@example.com end").text.endswith("[email] end")


def test_only_the_kinds_that_are_asked_for() -> None:
    only = BuiltInRedactor(["email"])
    assert only("ana@example.com, 4111 1111 1111 1111").text == "[email], 4111 1111 1111 1111"
    for kinds, regions in ((["mail"], ["ES"]), ([], ["ES"]), (["phone"], ["XX"])):
        with pytest.raises(SettingsError):
            BuiltInRedactor(kinds, regions)


def test_settings() -> None:
    assert Settings.from_env({"OROI_REDACT": "on"}).redact == REDACTED
    assert Settings.from_env({"OROI_REDACT": "email, card"}).redact == ("email", "card")
    assert Settings.from_env({"OROI_REDACT": "off"}).redact is None
    assert Settings.from_env({"OROI_REDACT_REGIONS": "ES FR"}).redact_regions == ("ES", "FR")
    with pytest.raises(SettingsError, match="OROI_REDACT must be"):
        Settings.from_env({"OROI_REDACT": "mail"})


def test_counts_as_records_keep_them() -> None:
    assert as_list({}) is None
    assert as_counts([as_list({"card": 2, "email": 1}), None, ["email 3"]]) == {"card": 2, "email": 4}


def test_lines_stay_as_many() -> None:
    joined = Redaction(lambda text: REDACT(text.replace("\n", " ")))
    assert joined.text("a\nb") == "a b"
    assert redacted_lines(["a", "b@example.com"], lambda text: REDACT(text.replace("\n", " "))) == ["a", "[email]"]


@table("package", ["detect_secrets", "phonenumbers", "stdnum"])
def test_an_absent_library_is_named(package: str, tmp_path: Path) -> None:
    """In a process of its own, in which the library cannot be imported."""
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from oroi_graph.errors import SettingsError\n"
        "from oroi_graph.redaction.builtin import BuiltInRedactor\n"
        "try: BuiltInRedactor()\n"
        "except SettingsError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'oroi-graph[redaction]'" in ran.stdout
