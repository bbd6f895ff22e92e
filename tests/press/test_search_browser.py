"""The search of the built book in Chromium: what it finds, what it costs, and that the keyboard is enough."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import CONTRAST, dark, until, violations

pytestmark = pytest.mark.browser

PAGE = "background/a1-linear-algebra/"
MOST_BYTES = 295_000  # the words for slips are 19 kB of it
PACKED = (b"\x1f\x8b", b"wOF2")  # gzip's and the font's first bytes: no server packs them again
ADDRESSES = "links => links.map(({ href }) => href.replace(/[?]found=[^#]*/, ''))"
FOUND = "document.querySelector('.search [role=status]')?.textContent && document.querySelector('.search-results a')"


@pytest.fixture
def page(open_page: Any) -> Any:
    return open_page(PAGE)


def ask(page: Any, query: str) -> list[str]:
    """Type a query into the search and return the addresses of what is found, without what they ask to be marked."""
    if not page.locator("dialog.search[open]").count():
        page.locator("[data-search]").click()
    page.locator(".search input").fill("")
    until(page, "!document.querySelector('.search-results a')")
    page.locator(".search input").fill(query)
    until(page, FOUND)
    return list(page.locator(".search-results a").evaluate_all(ADDRESSES))


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ("rabenseifner 2004", "references/#rabenseifner-2004"),
        ("zero_bytes_per_parameter", "reference/memory/#zero.formulas.zero_bytes_per_parameter"),
        ("matrix product cut", PAGE),
    ],
)
def test_names_functions_and_sections_are_found(page: Any, address: str, query: str, where: str) -> None:
    assert address + where in ask(page, query)
    assert page.errors == []


@pytest.mark.parametrize(
    ("query", "chapter"),
    [
        ("ring all-reduce", "collectives/13-ring-and-tree/"),
        ("pipeline bubble", "parallelism/18-pipeline/"),
        ("optimizer state sharding", "memory/22-zero/"),
    ],
)
def test_a_chapter_is_found_before_the_reference(page: Any, address: str, query: str, chapter: str) -> None:
    found = [url.removeprefix(address) for url in ask(page, query)]
    first = next(place for place, url in enumerate(found) if url.startswith(chapter))
    assert not any(url.startswith("reference/") for url in found[:first]), found


@pytest.mark.parametrize(
    ("query", "chapter"),
    [
        ("activation checkpointing", "memory/23-recomputation/"),
        ("zero3 vs fsdp", "memory/22-zero/"),
        ("what is alpha beta model", "foundations/05-alpha-beta/"),
        ("What is the alpha beta model?", "foundations/05-alpha-beta/"),
        ("cost of training gpt-3", "foundations/06-economics/"),
        ("data loading bottleneck", "foundations/04-data-pipeline/"),
        ("gpu memory calculator", "memory/21-memory-equation/"),
        ("rabenseifner", "collectives/13-ring-and-tree/"),
        ("zero-bubble", "parallelism/18-pipeline/"),
        ("straggler", "foundations/06-economics/"),
        ("kv cache", "efficiency/34-architecture/"),
        ("nccl busbw", "collectives/14-costs-and-bounds/"),
    ],
)
def test_what_readers_ask_leads_to_its_chapter_first(page: Any, address: str, query: str, chapter: str) -> None:
    assert ask(page, query)[0].startswith(address + chapter)


@pytest.mark.parametrize(
    ("typed", "meant", "chapter"),
    [
        ("chincilla", "chinchilla", "scaling/09-chinchilla/"),  # one too few
        ("interleaved pipline", "interleaved pipeline", "parallelism/18-pipeline/"),
        ("offlaoding", "offloading", "memory/24-offloading/"),  # two exchanged
        ("recomputatiom", "recomputation", "memory/23-recomputation/"),  # another one
        ("what is recomputatiom?", "recomputation", "memory/23-recomputation/"),  # asked as a question
    ],
)
def test_a_slip_of_the_finger_is_forgiven_and_said(
    page: Any, address: str, typed: str, meant: str, chapter: str
) -> None:
    assert ask(page, typed)[0].startswith(address + chapter)
    assert f"for “{meant}”" in page.locator(".search [role=status]").text_content()


def test_no_letter_is_lost_that_is_typed_before_the_search_is_there(page: Any) -> None:
    held: list[Any] = []
    page.route("**/search.js", lambda route: held.append(route))
    page.keyboard.press("/")
    page.keyboard.type("ring all")
    until(page, "1")
    assert held, "the script is on its way"
    held[0].continue_()
    page.locator("dialog.search[open]").wait_for()
    page.keyboard.type("-reduce")
    assert page.locator(".search input").input_value() == "ring all-reduce"


def test_what_was_searched_for_is_marked_on_the_page_that_opens(page: Any, address: str) -> None:
    ask(page, "zero-bubble")
    page.locator(".search-results a").first.click()
    until(page, "document.querySelector('h1').textContent.startsWith('18')")
    until(page, "CSS.highlights.get('found')?.size")
    marked = "[...CSS.highlights.get('found')].map(({ startContainer, startOffset, endOffset }) => "
    marked += "startContainer.data.slice(startOffset, endOffset).toLowerCase())"
    assert set(page.evaluate(marked)) == {"zero", "bubble"}
    assert "found=" not in page.url


def test_it_costs_nothing_before_it_is_used_and_little_then(page: Any, address: str, site: Path) -> None:
    before = len(page.requests)
    assert not [url for url in page.requests if "search" in url]
    ask(page, "rabenseifner")
    total = 0
    for url in page.requests[before:]:
        content = (site / "one-gradient" / url.removeprefix(address).partition("?")[0]).read_bytes()
        total += len(content if content.startswith(PACKED) else gzip.compress(content))
    assert 0 < total <= MOST_BYTES


def test_the_keyboard_is_enough(page: Any, address: str) -> None:
    page.keyboard.press("/")
    page.locator("dialog.search[open]").wait_for()
    page.keyboard.type("rabenseifner")
    until(page, FOUND)
    first, second = page.locator(".search-results a").evaluate_all("links => links.slice(0, 2).map(({ href }) => href)")
    focused = "document.activeElement.href"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == first
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == second
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.value") == "rabenseifner"
    page.keyboard.press("Escape")
    assert page.locator("dialog.search[open]").count() == 0
    page.keyboard.press("s")
    page.locator("dialog.search[open]").wait_for()  # before it is open, Enter goes to the page
    assert page.locator(".search input").input_value() == "rabenseifner"
    page.keyboard.press("Enter")
    until(page, "url => location.href === url", first.replace("?found=rabenseifner", ""))
    assert page.locator("dialog.search[open]").count() == 0
    assert page.url.startswith(address)


def test_no_connection_and_nothing_found_are_said(page: Any) -> None:
    page.locator("[data-search]").click()
    page.context.set_offline(True)
    page.locator(".search input").fill("ring")
    page.locator(".search").get_by_text("could not be loaded").wait_for()
    page.context.set_offline(False)
    page.locator(".search input").fill("rings")
    until(page, FOUND)
    page.locator(".search input").fill("ўўў")
    page.locator(".search").get_by_text("Nothing is found for “ўўў”.").wait_for()


def test_the_dialog_is_accessible_and_fits(page: Any) -> None:
    ask(page, "ring")
    assert violations(page, "dialog.search") == []
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.querySelector('dialog.search').scrollWidth") <= 390
    page.keyboard.press("Escape")
    with dark(page):
        page.locator("[data-search]").click()
        assert violations(page, "dialog.search", against=CONTRAST) == []
        page.keyboard.press("Escape")


def test_the_page_that_says_not_found_has_the_search_and_every_chapter(
    open_page: Any, address: str, site: Path
) -> None:
    page = open_page("404.html")
    page.locator(".md-content [data-search]").click()
    page.locator("dialog.search[open]").wait_for()
    page.keyboard.press("Escape")
    assert violations(page, ".md-content") == []
    linked = set(page.locator(".md-content a").evaluate_all("links => links.map(({ href }) => href)"))
    chapters = {
        path.parent.relative_to(site / "one-gradient")
        for path in (site / "one-gradient").glob("*/[0-9a]*-*/index.html")
    }
    assert len(chapters) == 44
    assert {f"{address}{chapter.as_posix()}/" for chapter in chapters} <= linked
