"""The explorer's page in a real browser, over a real memory."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import open_browser, opened
from contracts import document
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from explorer import application, made_graph
from playwright.sync_api import Browser, Page, expect
from served import Served

from oroi_graph.interfaces.explorer import Sessions, local_principals, make_explorer
from oroi_graph.interfaces.keys import KeyRegistry
from oroi_graph.memory import Graph, Memory
from oroi_graph.workspace.pipeline import register

LIFE = (
    "My sister Leire lives in Gernika.", "Leire plays the trumpet.", "My boss is called Unai.",
    "Leire has moved to Durango.", "I bought a boat for 3,000 euros.",
)  # fmt: skip
MARKUP = '<img src=x onerror="window.ran=1">'
HOSTILE = (
    f"My friend Zuriñe likes {MARKUP} and <script>window.ran=1</script>.",
    "My neighbour \u202eevil\u202c lives in Ja\u200bvea.",
)


@dataclass(frozen=True)
class Explored:
    """A memory behind a page."""

    memory: Memory
    served: Served
    sessions: Sessions

    @property
    def link(self) -> str:
        return f"{self.served.url}/#code={self.sessions.code}"


def explored(graph: Graph, memory: Memory) -> Iterator[Explored]:
    sessions = Sessions(KeyRegistry(graph.store), lambda: local_principals([memory.name]))
    with Served(make_explorer(graph, sessions)) as served:
        yield Explored(memory, served, sessions)
    assert graph.delete(memory.name) == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as found:
        yield found


@pytest.fixture(scope="module")
def life(browser: Browser, graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explored]:
    memory = graph.memory(f"page-{uuid.uuid4().hex[:8]}")
    for number, text in enumerate((*LIFE, *HOSTILE)):
        memory.perceive(text, speaker="Ana", id=f"t{number}").close("I see.")
    key = Ed25519PrivateKey.generate()
    shared = graph.contract(memory.name)
    hash_ = shared.publish(document(), key).schema_hash
    for author, value in (("claude", "Phase 2 runs until 31 March."), ("gemini", f"Phase 3 has begun {MARKUP}.")):
        shared.write({
            "ia_author": author, "entry_type": "fact", "field_key": "project_status", "field_value": value,
            "confidence_score": 0.9, "schema_hash": hash_,
        })  # fmt: skip
    folder = tmp_path_factory.mktemp("notes")
    (folder / "MEMORY.md").write_text(f"# Home\n\n{MARKUP}\nThe router is in the hall.\n", encoding="utf-8")
    register(graph.store, memory.name, folder, None)
    graph.workspace(memory.name).sync()
    yield from explored(graph, memory)


def arranged(page: Page) -> None:
    page.wait_for_selector("body[data-arranged]", state="attached")


def test_the_page_shows_corrects_and_forgets(browser: Browser, life: Explored) -> None:
    """One visit: recall made visible, the equal table, a concept's page, a correction and its plan, the slider."""
    memory, used = life.memory, life.link
    with opened(browser, used) as page:
        arranged(page)
        assert "code" not in page.url  # nobody finds it in the history
        page.fill("#question", "Where does my sister live?")
        page.keyboard.press("Enter")
        expect(page.locator(".cues")).to_contain_text("my sister")
        brief = page.locator(".brief-lines li bdi")
        brief.first.wait_for()
        answer = memory.graph.recall([memory.name], "Where does my sister live?")
        assert brief.all_inner_texts() == [item.text for item in answer.items]
        page.click("text=Play again")
        for stage in ("Waves", "Paths", "Brief"):
            expect(page.locator(".stages .now")).to_have_text(stage)

        page.click("nav >> text=Table")
        names = page.locator("tbody th bdi").all_inner_texts()
        assert {"Leire", "Unai", "Durango", "Gernika"} <= set(names)
        assert len(names) == memory.stats().concepts
        page.click(".picks >> text=Associations")
        expect(page.locator("tbody tr.past")).to_contain_text(["Gernika"])

        page.fill("#search", "leire")
        page.wait_for_selector("#found [aria-selected=true]")
        page.keyboard.press("Enter")
        expect(page.locator("#side h2:visible")).to_have_text("Leire")
        expect(page.locator(".chronicle")).to_contain_text("Gernika")
        page.locator(".facts li", has_text="trumpet").locator("text=Correct").click()
        page.fill("#fix-target", "oboe")
        expect(page.locator(".preview")).to_contain_text("trumpet")
        assert "oboe" not in {fact.target for fact in memory.facts("Leire")}  # the plan changed nothing
        page.click("text=Replace it")
        expect(page.locator(".facts")).to_contain_text("oboe")
        assert [fact.target for fact in memory.facts("Leire") if "play" in fact.relation] == ["oboe", "trumpet"]

        page.locator("#turn").fill("1")
        expect(page.locator(".turn-now")).to_contain_text("turn 1 of")
        page.click(".picks >> text=Concepts")
        expect(page.locator("tbody th bdi", has_text="Unai")).to_have_count(0)
        expect(page.locator("tbody tr.past")).to_have_count(0)  # then, she lived in Gernika
    with opened(browser, used, expected="401") as page:  # the link was used
        page.wait_for_selector(".closed")


def test_stored_text_cannot_run(browser: Browser, life: Explored) -> None:
    """Markup, scripts and characters that turn text around, in every view: shown as text, and nothing else."""
    with opened(browser, life.link, expected="TrustedHTML|trusted-types") as page:
        arranged(page)
        page.fill("#question", "What does Zuriñe like?")
        page.keyboard.press("Enter")
        expect(page.locator(".brief-lines")).to_contain_text("onerror")
        for view, said in (
            ("Conversation", MARKUP), ("Review", MARKUP), ("Notes", "onerror"), ("Table", "Leire"),
        ):  # fmt: skip
            page.click(f"nav >> text={view}")
            expect(page.locator(f".view-{ {'Conversation': 'said'}.get(view, view.lower()) }")).to_contain_text(said)
            assert page.evaluate("document.querySelectorAll('main img, main script, main [onerror]').length") == 0
        for text in page.locator("tbody th").all_inner_texts():
            assert not re.search("[\u200b\u202a-\u202e\u2066-\u2069]", text)
        assert page.evaluate("window.ran") is None
        # Even code of the page itself could not make markup of it.
        assert (
            page.evaluate("(() => { try { document.body.innerHTML = '<b>x</b>' } catch (e) { return e.name } })()")
            == "TypeError"
        )


def test_every_state_is_accessible(browser: Browser, life: Explored) -> None:
    """axe-core finds nothing in six states of both themes, and the graph is used without a pointer."""
    axe = Axe()
    for scheme in ("light", "dark"):
        with opened(browser, life.link, color_scheme=scheme) as page:
            arranged(page)
            page.focus(".scene")
            page.keyboard.press("n")
            page.wait_for_selector("#side .facts, #side .page")
            name = page.locator("#side h2:visible").inner_text()
            assert name
            page.keyboard.press("Enter")
            assert page.evaluate("document.activeElement.tagName") == "H2"
            found = {"concept": axe.run(page)}
            page.keyboard.press("Escape")
            expect(page.locator("#side")).to_be_hidden()
            page.fill("#question", "Where does my sister live?")
            page.keyboard.press("Enter")
            page.wait_for_selector(".brief-lines")
            found["recall"] = axe.run(page)
            for view in ("Table", "Conversation", "Review", "Notes"):
                page.click(f"nav >> text={view}")
                page.wait_for_selector(
                    {"Table": "tbody tr", "Conversation": ".talk li", "Review": ".cards", "Notes": ".note pre"}[view]
                )
                found[view] = axe.run(page)
            page.keyboard.press("?")
            page.wait_for_selector("dialog")
            found["help"] = axe.run(page)
            assert {state: one.generate_report() for state, one in found.items() if one.violations_count} == {}


def test_a_phone_shows_each_view_in_its_width(browser: Browser, life: Explored) -> None:
    with opened(browser, life.link, viewport={"width": 390, "height": 844}) as page:
        for view in page.locator("nav button").all():
            view.click()
            expect(view).to_have_attribute("aria-current", "page")
            assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.locator("nav button").nth(1).click()
        name = page.locator("tbody button.link", has_text=re.compile("^trumpet$"))
        expect(name).to_be_visible()
        assert name.evaluate("one => one.getClientRects().length") == 1  # no word is broken
        name.click()
        expect(page.locator("#side h2:visible")).to_have_text("trumpet")
        seen = """() => [...document.querySelectorAll('.view-table td.number > span')].filter((one) => {
            const { x, y, width, height } = one.getBoundingClientRect();
            return one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        }).length"""
        assert page.evaluate(seen) == 0  # the page of a concept covers the table
    with opened(browser, life.link) as page:
        page.click("nav >> text=Table")
        name = page.locator("tbody button.link", has_text=re.compile("^Durango$"))
        name.click()
        expect(page.locator("#side h2:visible")).to_have_text("Durango")
        assert name.evaluate("one => one.getClientRects().length") == 1  # beside it, neither


def test_what_deletes_shows_its_plan_first(browser: Browser, life: Explored) -> None:
    memory = life.memory
    with opened(browser, life.link, locale="es-ES") as page:
        page.click("nav >> text=Revisar")  # in the reader's language
        page.locator(".card", has_text="project_status").locator("text=Resolver").click()
        page.locator(".choice", has_text="Phase 3").locator("input").check()
        page.fill("#settle-author", "kimi")
        page.click("text=Escribir la entrada")
        expect(page.locator(".none").first).to_be_visible()
        page.wait_for_selector("dialog", state="detached")
        assert memory.graph.contract(memory.name).conflicts() == []

        page.fill("#search", "boat")
        page.wait_for_selector("#found [aria-selected=true]")
        page.keyboard.press("Enter")
        page.click("#side >> text=Olvidar …")
        page.wait_for_selector("dialog .warning")
        expect(page.locator("dialog")).to_contain_text("I bought a boat for 3,000 euros.")
        assert memory.forgettable("boat")
        page.click("text=Olvidar para siempre")
        page.wait_for_selector("dialog", state="detached")
        assert not memory.forgettable("boat")
        assert "boat" not in json.dumps([one.verbatim for one in memory.timeline()])

        page.fill("#question", "Who is my boss?")
        page.keyboard.press("Enter")
        expect(page.locator(".brief-lines li").first).to_be_visible()  # at once: nothing moves
        expect(page.locator(".stages .now")).to_have_text("Resumen")


def test_a_large_graph_is_coarse_only_while_it_moves(browser: Browser) -> None:
    """At rest every pixel, name and association is back; who presses meanwhile gets the concept that is there."""
    made = made_graph(1600, 2000)
    made["concepts"][7] |= {"activation": 2.0, "mentions": 60}  # lies above all others
    scene = "globalThis.oroi.scene"
    seen = f"""() => [{scene}.sigma.coarse, document.querySelector('.sigma-nodes').width,
        getComputedStyle(document.querySelector('.sigma-labels')).display]"""
    # The graph is made up and has no pages of concepts, which is what 404 says.
    with Served(application(made)) as served, opened(browser, f"{served.url}/#code=x", expected="404") as page:
        arranged(page)
        page.wait_for_function(f"!{scene}.sigma.coarse")
        still, full, shown = page.evaluate(seen)
        assert (still, shown) == (False, "block")
        page.evaluate(f"{scene}.focus('c7', 0.3)")
        page.wait_for_function(f"!{scene}.sigma.coarse && {scene}.sigma.getNodeDisplayedLabels().has('c7')")
        assert page.evaluate(seen) == [False, full, "block"]
        box = page.locator(".scene").bounding_box()
        assert box is not None
        moving = f"""() => {{
            const camera = {scene}.sigma.getCamera();
            globalThis.going = setInterval(() => camera.setState({{ ratio: camera.ratio * 1.0001 }}), 20);
        }}"""
        page.evaluate(moving)
        page.wait_for_function(f"{scene}.sigma.coarse")
        assert page.evaluate(seen)[1:] == [int(0.34 * full), "none"]
        page.evaluate("clearInterval(globalThis.going)")
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_function("globalThis.oroi.state.selected === 'c7'")
        page.wait_for_function(f"!{scene}.sigma.coarse")
        assert page.evaluate(seen)[2] == "block"


def test_long_names_cover_nothing(browser: Browser) -> None:
    made = made_graph(20, 30)
    made["concepts"][3]["label"] = "https://example.org/" + "x" * 300
    memory = "a-memory-with-a-very-long-name-" * 3
    with (
        Served(application(made, memory)) as served,
        opened(browser, f"{served.url}/#code=x", viewport={"width": 1120, "height": 700}) as page,
    ):
        arranged(page)
        for width in (1120, 1190):
            page.set_viewport_size({"width": width, "height": 700})
            for one in page.locator("header button, header select").all():
                box = one.bounding_box()
                assert box is not None
                assert box["x"] + box["width"] <= width
        page.locator("nav button").nth(1).click()
        name = page.locator("tbody th", has_text="example.org")
        inner, outer = name.locator("button").bounding_box(), name.bounding_box()
        assert inner is not None
        assert outer is not None
        assert inner["width"] <= outer["width"]


def test_the_graph_says_what_it_does_not_show(browser: Browser) -> None:
    made = made_graph(20, 30)
    for changed, said in (
        ({}, None),
        ({"total": 9000}, "20 of 9,000 concepts are shown"),
        ({"concepts": [], "associations": [], "total": 0}, "Nothing is known at this turn."),
        ({"concepts": [], "associations": [], "total": 0, "turns": 0}, "Nothing is remembered yet."),
    ):
        with Served(application({**made, **changed})) as served, opened(browser, f"{served.url}/#code=x") as page:
            arranged(page)
            notices = page.locator(".view-graph > p:visible:not(.unseen)")
            if said is None:
                expect(notices).to_have_count(0)
            else:
                expect(notices).to_contain_text(said)


def test_texts_are_complete() -> None:
    """Each language has each text, with the same places for values; each text that the page asks for exists."""
    page = Path(__import__("oroi_graph").__file__).parent / "interfaces" / "explorer" / "page"
    spoken = {
        code: json.loads((page / "locales" / f"{code}.json").read_text(encoding="utf-8")) for code in ("en", "es", "pt")
    }
    places = {
        code: {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in texts.items()}
        for code, texts in spoken.items()
    }
    assert places["es"] == places["en"] == places["pt"]
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (page / "js").rglob("*.js"))
    asked = set(re.findall(r'\bt\("([^"]+)"', sources))
    assert asked - spoken["en"].keys() == set()
    beginnings = tuple(re.findall(r"\bt\(`([^`$]+)\$", sources))
    unused = {key for key in spoken["en"] if key.removesuffix(".one") not in asked and not key.startswith(beginnings)}
    assert {key for key in unused if f'"{key}"' not in sources} == set()
