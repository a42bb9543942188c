"""A real browser for the tests of the explorer: Debian's Chromium, headless, with WebGL in software."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

# No machine of the tests has a graphics card.
ARGUMENTS = ["--enable-unsafe-swiftshader"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60_000  # milliseconds; a loaded machine is slow, a broken page is never right


def found_browser() -> str | None:
    """The program, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """The browser. Skips the test, with the reason, where there is none."""
    program = found_browser()
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed (Debian: apt-get install chromium)")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, url: str, *, expected: str | None = None, **settings: object) -> Iterator[Page]:
    """A page at `url`, which must not raise errors, complain on its console, or break its own policy.

    expected: what of all that is expected, a pattern. Nothing moves by itself unless the settings say so: drawing in
    software is slow.
    """
    chosen: dict[str, Any] = {"viewport": {"width": 1200, "height": 700}, "reduced_motion": "reduce", **settings}
    context = browser.new_context(**chosen)
    context.add_init_script(
        "addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective, e.blockedURI))"
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.goto(url)
    yield page
    context.close()
    assert [said for said in wrong if expected is None or not re.search(expected, said)] == []
