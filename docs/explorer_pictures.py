"""The pictures of docs/explorer.md: six states of the explorer over the demo's memory, in a real browser.

oroi import docs/demo/conversation.jsonl demo && oroi explore demo --no-open    # prints LINK
python docs/explorer_pictures.py LINK
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))

from browser import open_browser  # noqa: E402

FOLDER = HERE / "explorer"
VIEWPORT = {"width": 1200, "height": 760}


def save(page: Page, name: str) -> None:
    """Take a picture once what moves has come to rest."""
    page.wait_for_timeout(1500)
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(256, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def main() -> None:
    """Take all of them."""
    with open_browser() as browser:
        page = browser.new_page(viewport=VIEWPORT, reduced_motion="reduce", color_scheme="light")
        page.set_default_timeout(120_000)
        page.goto(sys.argv[1])
        page.wait_for_selector("body[data-arranged]", state="attached")
        save(page, "graph")
        page.fill("#question", "Where does my sister's husband work?")
        page.keyboard.press("Enter")
        page.wait_for_selector(".brief-lines")
        page.click(".stages >> text=Paths")
        save(page, "recall")
        page.fill("#search", "Leire")
        page.wait_for_selector("#found [aria-selected=true]")
        page.keyboard.press("Enter")
        page.wait_for_selector("#side .facts")
        save(page, "concept")
        page.keyboard.press("Escape")
        page.click("nav >> text=Table")
        save(page, "table")
        page.click("nav >> text=Review")
        page.wait_for_selector(".cards")
        save(page, "review")
        page.emulate_media(color_scheme="dark")
        page.click("nav >> text=Graph")
        page.click("button[title='Show all']")
        page.locator("#turn").fill("40")
        page.wait_for_timeout(2000)
        save(page, "time")


if __name__ == "__main__":
    main()
