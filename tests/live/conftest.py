"""Pages of the built book that tests share, so that Python starts once in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import visit
from open_exercise import PIPELINE, OpenExercise

from snippets.live.declaring import LiveFigure, find

START = """async address => {
    const {Machine} = await import(address + 'javascripts/live/runtime.js');
    globalThis.machine = new Machine();
    globalThis.draw = place => machine.call(`figures/${place[0]}`, 'snippets.live.declaring', 'draw', place);
    const subject = 'figures/snippets.foundations.alpha_beta.live';
    globalThis.run = code => machine.call(subject, 'builtins', 'exec', [code, {}]);
    await run('');
}"""
PLACE = re.compile(
    r'<figure class="book-figure live" id="([\w-]+)" data-module="([\w.]+)" data-name="(\w+)"[^>]*>.*?'
    r'<p class="live-numbers">(.*?)</p>.*?<div class="panels" role="img" aria-label="([^"]*)">(.*?)</div>',
    re.DOTALL,
)


@pytest.fixture(scope="module")
def walker(browser: Any, address: str) -> Iterator[Any]:
    """Yield a page that goes from chapter to chapter by links, so that Python goes on running."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(address)
    yield page
    context.close()


@pytest.fixture
def warm(walker: Any, address: str) -> Any:
    """Return a chapter's page as a reader first sees it, but that Python may run already."""
    visit(walker, address)
    walker.evaluate("localStorage.clear()")
    visit(walker, address + PIPELINE)
    return walker


@pytest.fixture
def exercise(walker: Any, address: str) -> OpenExercise:
    """Return an exercise that is open; tests leave it as they like."""
    visit(walker, address + PIPELINE)
    return OpenExercise(walker).open()


@pytest.fixture(scope="session")
def places(site: Path) -> dict[str, dict[str, str]]:
    """Return for each live figure of the built book its page, module, and what the build drew."""
    found = {}
    pages = sorted((site / "one-gradient").glob("*/*/index.html"))
    for file in (page for page in pages if page.parts[-3] != "live"):  # there each stands alone
        for number, module, name, numbers, alt, picture in PLACE.findall(file.read_text(encoding="utf-8")):
            page = f"{file.parent.relative_to(site / 'one-gradient').as_posix()}/"
            parts = {"page": page, "id": number, "module": module, "alt": alt, "picture": picture, "numbers": numbers}
            found[name] = parts
    return found


@pytest.fixture(scope="module")
def python(browser: Any, address: str, places: dict[str, dict[str, str]]) -> Any:
    """Return a page whose ``machine`` runs."""
    page = browser.new_page()
    page.goto(address + next(iter(places.values()))["page"])
    page.evaluate(START, address)
    return page


@pytest.fixture
def some(places: dict[str, dict[str, str]]) -> tuple[dict[str, str], str, LiveFigure]:
    """Return one figure with a number that can be typed: its place, its name, its declaration."""
    name = "message_time" if "message_time" in places else next(iter(places))
    return places[name], name, find(places[name]["module"], name)


@pytest.fixture
def page_of_some(walker: Any, address: str, some: Any) -> Any:
    """Return the page of that figure as it is first shown, but that Python runs in it already."""
    visit(walker, address)
    visit(walker, address + some[0]["page"])
    return walker
