"""The built book in Chromium: accessible, complete without another host, readable on a phone, lean."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import CONTRAST, ROOT, dark, violations
from sampling import CHAPTERS, chapter_changed, sampled

PAGES = ["", "background/", "background/a1-linear-algebra/", "notation/", "glossary/", "references/", "corrections/"]
A1 = "background/a1-linear-algebra/"
SOME_CHAPTERS = [
    f"{path.relative_to(ROOT / 'chapters').with_suffix('').as_posix()}/"
    for path in sampled(CHAPTERS, 3, changed=chapter_changed, most=1)
]
WIDTHS = [1280, 390, 320]

PACKED = {".woff2", ".png", ".jpg"}  # what a host sends as it is; the rest it compresses

pytestmark = pytest.mark.browser


def test_no_violation_of_wcag(open_page: Any) -> None:
    """On the first page; ``tests/live/test_live_page.py`` asks the same of every chapter."""
    page = open_page("")
    assert violations(page) == []
    with dark(page):
        assert violations(page, against=CONTRAST) == []


@pytest.mark.parametrize("path", dict.fromkeys([*PAGES, *SOME_CHAPTERS]))
def test_nothing_is_wider_than_the_screen_and_no_request_leaves_the_site_or_fails(
    open_page: Any, address: str, path: str
) -> None:
    page = open_page(path)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cut = page.evaluate(
            """() => [...document.querySelectorAll('article p, article li, article figure, article h1, article h2')]
                .filter(e => e.offsetParent && e.getBoundingClientRect().right > innerWidth + 1)
                .map(e => e.textContent.slice(0, 60))"""
        )
        assert cut == [], width
    page.keyboard.press("s")  # opens the search
    page.wait_for_timeout(500)
    assert [url for url in page.requests if not url.startswith((address, "data:", "blob:"))] == []
    assert page.errors == []


@pytest.fixture(scope="module")
def a1(browser: Any, address: str) -> Any:
    """Return a page that shows A1, for tests that only look at it."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce", color_scheme="light")
    page.goto(address + A1)
    page.evaluate("document.fonts.ready")
    return page


def test_every_formula_is_mathml_in_the_shipped_font(a1: Any) -> None:
    page = a1
    assert page.evaluate("document.querySelectorAll('article math').length") > 30
    assert page.evaluate("document.fonts.check('16px \"STIX Two Math\"')")
    families = page.evaluate(
        "[...new Set([...document.querySelectorAll('article math')].map(m => getComputedStyle(m).fontFamily))]"
    )
    assert all(family.startswith('"STIX Two Math"') for family in families), families
    assert page.evaluate("document.querySelectorAll('.arithmatex, mjx-container, .katex').length") == 0


def test_figures_follow_the_palette(a1: Any, open_page: Any) -> None:
    fill = "getComputedStyle(document.querySelector('figure svg text')).fill"
    light = a1.evaluate(fill)
    with dark(a1):
        switched = a1.evaluate(fill)
    assert switched != light == a1.evaluate(fill)
    assert open_page(A1, scheme="dark").evaluate(fill) == switched


def test_labels_of_figures_stay_readable(a1: Any) -> None:
    """No label of a figure is drawn smaller than 9 pixels; on a wide screen none smaller than 11.5."""
    for width, least in ((390, 9), (1280, 11.5)):
        a1.set_viewport_size({"width": width, "height": 900})
        sizes = a1.evaluate(
            """() => [...document.querySelectorAll('figure svg text')].filter(t => t.getClientRects().length).map(t => {
                const svg = t.ownerSVGElement, box = svg.viewBox.baseVal;
                return parseFloat(getComputedStyle(t).fontSize) * svg.getBoundingClientRect().width / box.width;
            })"""
        )
        assert min(sizes) >= least


@pytest.fixture(scope="module")
def phone(browser: Any) -> Any:
    """Return a page of a phone's width."""
    return browser.new_page(viewport={"width": 390, "height": 900}, reduced_motion="reduce")


@pytest.mark.parametrize("path", sampled(CHAPTERS, 9, changed=chapter_changed), ids=lambda path: path.stem)
def test_no_figure_hides_a_part_on_a_phone(phone: Any, address: str, path: Path) -> None:
    phone.goto(f"{address}{path.relative_to(ROOT / 'chapters').with_suffix('').as_posix()}/")
    hidden = phone.evaluate(
        "() => [...document.querySelectorAll('.panels')].filter(p => p.scrollWidth > p.clientWidth + 1)"
        ".map(p => p.closest('figure').id)"
    )
    assert hidden == []


def test_weight_of_the_chapter(site: Path, open_page: Any, address: str) -> None:
    page = open_page(A1)
    served = [site / "one-gradient" / url.removeprefix(address).partition("?")[0] for url in set(page.requests)]
    files = [path / "index.html" if path.is_dir() else path for path in served]
    sizes = {
        path: len(path.read_bytes() if path.suffix in PACKED else gzip.compress(path.read_bytes())) for path in files
    }
    assert sum(sizes.values()) < 150_000, sizes


def test_weight_of_every_chapter(site: Path) -> None:
    chapters = [
        page for page in (site / "one-gradient").glob("*/*/index.html") if re.match(r"a?\d+-", page.parent.name)
    ]
    assert len(chapters) >= 11
    for page in chapters:
        html = page.read_bytes()
        assert len(html) <= 320_000, page  # the largest, 18, has 317 KB: 16 stages with 48 micro-batches
        assert len(gzip.compress(html)) <= 59_000, page  # the largest, 35, has 58.2 KB: it takes traces, and shows two


def test_scripts_before_a_touch_are_light(site: Path) -> None:
    """What a page loads at once beside Material's own bundle; all else comes when a reader asks for it."""
    assert len((site / "one-gradient/javascripts/book.js").read_bytes()) <= 10_500


def test_instant_navigation_keeps_everything_working(open_page: Any, address: str) -> None:
    page = open_page("")
    page.evaluate("window.stayed = true")
    page.click(f"article a[href*='{A1}']")
    page.wait_for_url(address + A1)
    page.wait_for_selector("article math >> visible=true")
    assert page.evaluate("window.stayed")
    assert page.evaluate("document.querySelectorAll('figure svg').length") > 0
    copied = page.locator("article .highlight nav button, article .highlight button.md-clipboard, .md-code__button")
    assert copied.count() > 0
    page.go_back()
    page.wait_for_url(address)
    assert page.evaluate("window.stayed")
    assert page.errors == []


def test_the_keyboard_reaches_everything(a1: Any) -> None:
    """Tab visits every link, button and fold of the article, and each shows that it has the focus."""
    page = a1
    wanted = page.evaluate(
        """() => [...document.querySelectorAll('article a[href], article summary, article button')]
            .filter(e => e.checkVisibility() && !e.closest('details:not([open]) > :not(summary)')).length"""
    )
    reached = set()
    for _ in range(wanted + 200):
        page.keyboard.press("Tab")
        here = page.evaluate(
            """() => {
                const e = document.activeElement;
                if (!e.closest('article')) return null;
                e.dataset.seen ??= Math.random();
                const style = getComputedStyle(e);
                return [e.dataset.seen, style.outlineStyle !== 'none' || style.boxShadow !== 'none',
                        e.matches('a[href], summary, button')];
            }"""
        )
        if here and here[2]:
            assert here[1], "an element takes the focus without showing it"
            reached.add(here[0])
    assert len(reached) >= wanted


def test_what_is_wide_scrolls_by_keyboard(open_page: Any) -> None:
    page = open_page(A1, width=390)
    stuck = page.evaluate(
        """() => [...document.querySelectorAll('article *')]
            .filter(e => e.scrollWidth > e.clientWidth + 1
                && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)
                && e.tabIndex < 0 && !e.querySelector('[tabindex="0"]') && e.checkVisibility())
            .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert stuck == []


def test_a_link_shared_elsewhere_has_a_preview(a1: Any) -> None:
    """Its picture and address need a published site: ``test_addresses_on_pages.py`` has them."""
    page = a1
    tags = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('meta[property^=og]')]
            .map(m => [m.getAttribute('property'), m.content]))"""
    )
    assert "Linear algebra" in tags["og:title"]
    assert tags["og:description"]
    assert page.title() == tags["og:title"]


def test_the_notebook_can_be_downloaded(a1: Any, site: Path) -> None:
    page = a1
    with page.expect_download() as download:
        page.click("text=Download the notebook")
    assert download.value.suggested_filename == "a1-linear-algebra.ipynb"
    assert Path(download.value.path()).read_bytes().startswith(b"{")


def test_without_scripts_the_chapter_is_complete(open_page: Any) -> None:
    page = open_page(A1, java_script_enabled=False)
    assert page.locator("article math").count() > 30
    assert page.locator("figure svg").count() > 0


def test_print_shows_the_text_alone(open_page: Any) -> None:
    page = open_page(A1)
    page.emulate_media(media="print")
    hidden = "s => !document.querySelector(s)?.checkVisibility()"
    for part in (".md-header", ".md-tabs", ".md-sidebar", ".md-footer"):
        assert page.evaluate(hidden, part), part
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.querySelectorAll('article details:not([open])').length") == 0


def test_a_chapter_prints_at_the_size_of_the_book(open_page: Any) -> None:
    """Chapter 22 took 48 pages when a screen's sizes were printed, checks with their code; as a PDF it has 32."""
    page = open_page("memory/22-zero/")
    page.evaluate("document.querySelectorAll('article details').forEach(fold => { fold.open = true })")
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert 20 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 36
    page.emulate_media(media="print")
    for part in (".cell-check pre", ".exercise-board", ".exercise-bar"):
        assert page.locator(part).count(), part
        assert not page.locator(part).filter(visible=True).count(), part


def test_the_quick_reference_prints_on_a_few_pages(open_page: Any) -> None:
    page = open_page("quick-reference/")
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 7
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # what an A4 page has within its margins, in CSS pixels
    # The space at the end of a line of code hangs out of it, by less than 5 pixels.
    wider = """() => [...document.querySelectorAll('.formula :is(math, code)')].filter(part =>
        part.getBoundingClientRect().right > part.closest('.formula').getBoundingClientRect().right + 5
    ).map(part => part.innerText)"""
    assert page.evaluate(wider) == []


PAINTED_OTHERWISE = """() => [...document.querySelectorAll('.panel [class*="t-"]')].filter(part => {
    const name = [...part.classList].find(one => one.startsWith('t-'));
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = `var(--${name.slice(2)})`;
    const wanted = getComputedStyle(probe).color;
    probe.remove();
    return getComputedStyle(part).fill !== wanted;
}).map(part => part.outerHTML)"""


def test_a_text_keeps_its_colour_beside_other_pictures(open_page: Any) -> None:
    """Each picture says of all texts of pictures that they are ink."""
    page = open_page("collectives/14-costs-and-bounds/")
    assert page.locator(".panel text[class*='t-']").count() > 1
    assert page.evaluate(PAINTED_OTHERWISE) == []
