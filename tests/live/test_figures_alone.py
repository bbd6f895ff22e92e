"""Live figures alone, in frames of a page from another origin: they work as in their chapter, and move nothing else."""

from __future__ import annotations

import functools
import html
import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browser_fixtures import CONTRAST, until, violations
from checking import live_figures
from open_figure import first_number, live, note, settled
from sampling import figure_changed, sampled

from press.making.framed import NARROW, WIDE
from snippets.live.declaring import draw

pytestmark = pytest.mark.browser

NAMES = sorted(live_figures())
LISTEN = (
    "<!doctype html><meta charset=utf-8><title>Elsewhere</title><link rel=icon href=data:,>"
    "<style>body{margin:0}</style>"
    "<script>heard = []; onmessage = ({data, source}) => heard.push({...data, mine: source === frames[0]})</script>"
)
FORBID = """for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, {get() { throw new DOMException('Forbidden', 'SecurityError'); }})"""
SIZES = "[document.body.getBoundingClientRect().height, document.documentElement.scrollWidth]"
NORMAL = "html => new DOMParser().parseFromString(html, 'text/html').body.innerHTML"
# What of a figure on a slide runs out of its place: a panel, or the knobs across.
IN_SIGHT = """() => {
    const panels = document.querySelector(".live .panels"), edge = panels.parentElement.getBoundingClientRect();
    const below = [...panels.children].filter(one => one.getBoundingClientRect().bottom > edge.bottom + 1);
    const knobs = document.querySelector(".knobs");
    return [...below.map(one => one.textContent), panels.scrollWidth > panels.clientWidth && "panels across",
        knobs.scrollWidth > knobs.clientWidth && "knobs across"].filter(Boolean);
}"""
SANDBOX = 'sandbox="allow-scripts allow-same-origin allow-popups"'


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def abroad(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Serve a site that is not the book's; yield its folder and address. It has another host, too: "localhost"."""
    folder = tmp_path_factory.mktemp("abroad")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://localhost:{server.server_port}/"
    server.shutdown()


@pytest.fixture
def embed(browser: Any, abroad: tuple[Path, str]) -> Iterator[Callable[..., tuple[Any, Any]]]:
    """Yield a function that opens a page of the other site with a frame in it; it returns the page and the frame."""
    contexts = []

    def open_(frame: str, *, width: int = WIDE, script: str = "", **options: Any) -> tuple[Any, Any]:
        (abroad[0] / "index.html").write_text(LISTEN + frame, encoding="utf-8")
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
        page.add_init_script(script)
        page.goto(abroad[1])
        until(page, "() => heard.length > 0")
        return page, page.frames[1]

    yield open_
    for context in contexts:
        context.close()


def iframe(source: str, height: int = 900, more: str = "") -> str:
    return f'<iframe src="{html.escape(source)}" width="100%" height="{height}" style="border:0" {more}></iframe>'


def shown(page: Any) -> str:
    return str(page.locator(".live .panels").inner_html())


def as_read(page: Any, picture: str) -> str:
    """Return a picture as a browser reads it, in a page whose policy lets a test parse texts."""
    blank = page.context.new_page()
    read = str(blank.evaluate(NORMAL, picture))
    blank.close()
    return read


def drawn(page: Any, place: dict[str, str], name: str, settings: dict[str, str]) -> str:
    """Return the picture of a setting as CPython draws it and a browser reads it."""
    answer = json.loads(draw(place["module"], name, json.dumps(settings)))
    return as_read(page, "".join(answer["drawn"]["svgs"]))


@pytest.mark.parametrize("script", ["", FORBID], ids=["storage", "no storage"])
def test_in_a_sandboxed_frame_of_another_site_a_knob_draws_what_the_chapter_draws(
    embed: Any, address: str, some: Any, script: str
) -> None:
    place, name, figure = some
    page, frame = embed(iframe(f"{address}live/{name}/", more=SANDBOX), script=script)
    knob = first_number(figure)
    assert shown(frame) == as_read(page, place["picture"])
    slider = live(frame, place).locator(f"[data-knob={knob.name}]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    settled(frame, place)
    stop = {knob.name: f"@{slider.input_value()}"}
    assert shown(frame) == drawn(page, place, name, {**figure.opens_at(), **stop}) != place["picture"]
    assert note(frame, place) == ""
    assert f"{name}.{knob.name}=" in frame.evaluate("location.hash")
    assert frame.evaluate("document.querySelector('.live-from a').href").startswith(
        f"{address}{place['page']}#live:{name}."
    )
    assert page.errors == []


def test_the_setting_stands_in_the_address_and_the_page_around_is_not_moved(
    embed: Any, address: str, some: Any
) -> None:
    place, name, figure = some
    knob = first_number(figure)
    setting = {knob.name: knob.plain(knob.stops[-1])}
    hash_ = f"#live:{name}.{knob.name}={quote(setting[knob.name])}"
    page, frame = embed("<p style='height:2000px'></p>" + iframe(f"{address}live/{name}/{hash_}"))
    settled(frame, place)
    assert shown(frame) == drawn(page, place, name, setting)
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("document.activeElement === document.body")


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_at_the_height_that_we_suggest_nothing_scrolls(browser: Any, address: str, width: int) -> None:
    """Nor is it much too high."""
    page = browser.new_page(viewport={"width": width, "height": 300})
    for name in NAMES:
        page.goto(f"{address}live/{name}/")
        page.evaluate("document.fonts.ready")
        suggested = int(page.locator(".live").get_attribute("data-height" if width == WIDE else "data-narrow-height"))
        needed, across = page.evaluate(SIZES)
        assert needed <= suggested <= needed + 200, name
        assert across <= width, name
    page.close()


def test_it_tells_the_page_around_it_how_high_it_is(embed: Any, address: str, some: Any) -> None:
    name = some[1]
    page, frame = embed(iframe(f"{address}live/{name}/", more=SANDBOX))
    needed = frame.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
    wide = page.evaluate("heard.at(-1)")
    assert wide == {"type": "one-gradient:height", "name": name, "height": needed, "mine": True}
    page.set_viewport_size({"width": NARROW, "height": 900})
    until(page, "before => heard.at(-1).height > before", wide["height"])


def test_the_palette_is_the_one_asked_for_else_the_readers(open_page: Any, some: Any) -> None:
    grounds = {
        (query, scheme): open_page(f"live/{some[1]}/{query}", scheme=scheme).evaluate(
            "getComputedStyle(document.documentElement).backgroundColor"
        )
        for query in ("", "?theme=dark", "?theme=light", "?theme=constructor")
        for scheme in ("light", "dark")
    }
    dark = "rgb(20, 22, 26)"
    assert {asked for asked, ground in grounds.items() if ground == dark} == {
        ("", "dark"),
        ("?theme=dark", "light"),
        ("?theme=dark", "dark"),
        ("?theme=constructor", "dark"),
    }


@pytest.mark.parametrize("name", sampled(NAMES, 9, changed=figure_changed))
def test_on_a_slide_all_panels_are_in_sight_beside_the_knobs(open_page: Any, name: str) -> None:
    page = open_page(f"live/{name}/?theme=light&slide")
    page.set_viewport_size({"width": 1178, "height": 560})
    until(page, f"() => document.querySelector('.live .panels').style.zoom && ({IN_SIGHT})().length === 0")
    assert page.evaluate("document.documentElement.scrollHeight") == 560


JUNK = [
    '?x=<img src=x onerror=broken=1>&theme="><script>broken=1</script>&__proto__[a]=1',
    "?theme=javascript:broken=1#<script>broken=1</script>",
    "#live:__proto__.x=1&constructor.prototype=2&=&.=&NAME=1&other.size=3",
    "#live:NAME.%3Cimg%20src%3Dx%20onerror%3Dbroken%3D1%3E=%3Cimg%20src%3Dx%20onerror%3Dbroken%3D1%3E",
]


@pytest.mark.parametrize("junk", JUNK)
def test_a_strangers_parameters_leave_the_opening_setting_and_run_nothing(
    open_page: Any, address: str, some: Any, junk: str
) -> None:
    place, name, _ = some
    page = open_page(f"live/{name}/{junk.replace('NAME', name)}")
    settled(page, place)
    assert shown(page) == as_read(page, place["picture"])
    assert page.evaluate("typeof broken") == "undefined"
    assert page.locator("main img, main script").count() == 0
    assert [url for url in page.requests if not url.startswith((address, "data:", "blob:"))] == []


def test_the_keys_of_the_search_do_nothing_where_there_is_none(open_page: Any, some: Any) -> None:
    page = open_page(f"live/{some[1]}/")
    page.keyboard.press("s")
    page.wait_for_timeout(300)
    assert not any("search" in url for url in page.requests)
    assert page.locator("dialog").count() == 0


def test_axe_finds_nothing(open_page: Any, some: Any) -> None:
    assert violations(open_page(f"live/{some[1]}/")) == []
    assert violations(open_page(f"live/{some[1]}/?theme=dark"), against=CONTRAST) == []


def test_embed_gives_the_address_and_a_frame_of_the_setting_as_it_stands(
    open_page: Any, embed: Any, address: str, some: Any
) -> None:
    place, name, figure = some
    page, knob = open_page(place["page"]), first_number(figure)
    link = live(page, place).locator(".live-embed")
    link.click()
    panel = page.locator(".live-embedding")
    panel.wait_for()
    assert link.get_attribute("aria-expanded") == "true"
    assert panel.locator("input").input_value() == f"{address}live/{name}/"
    live(page, place).locator(f"[data-knob={knob.name}]").focus()
    page.keyboard.press("ArrowRight")
    settled(page, place)
    there = panel.locator("input").input_value()
    assert there.startswith(f"{address}live/{name}/#live:{name}.")
    assert f"{name}.{knob.name}=" in there
    frame = panel.locator("textarea").input_value()
    assert html.unescape(re.findall(r'src="([^"]*)"', frame)[0]) == there
    assert violations(page, within=".live") == []
    other, inside = embed(frame)
    settled(inside, place)
    assert shown(inside) == live(page, place).locator(".panels").inner_html()
    assert other.locator("iframe").get_attribute("title") == figure.title
    link.click()
    assert panel.count() == 0


def test_without_scripts_embed_opens_the_figure_alone(open_page: Any, address: str, some: Any) -> None:
    page = open_page(some[0]["page"], java_script_enabled=False)
    live(page, some[0]).locator(".live-embed").click()
    page.wait_for_url(f"{address}live/{some[1]}/")
    assert page.locator(".panels svg").count() > 0


def test_the_search_does_not_find_them(site: Path) -> None:
    entry = json.loads((site / "one-gradient/search/pagefind-entry.json").read_text(encoding="utf-8"))
    pages = [page for page in site.rglob("index.html") if page.parts[-3] != "live"]
    articles = [page for page in pages if "<article" in page.read_text(encoding="utf-8")]
    assert entry["languages"]["en"]["page_count"] == len(articles)
    assert "/live/" not in (site / "one-gradient/sitemap.xml").read_text(encoding="utf-8")
