"""What a published page says of itself, in Chromium: its head holds its own records, its entry can be copied."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from browser_fixtures import ROOT, _Quiet, until, visit
from small_book import SmallBook

pytestmark = pytest.mark.browser

SITE = "https://owner.github.io/NAME/"
RECORDS = "meta[name^=citation_], script[type], link[rel=alternate]"
SAID = f"() => [...document.head.querySelectorAll('{RECORDS}')].map(e => e.outerHTML)"


@pytest.fixture(scope="module")
def published(whole_book: SmallBook, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Build the small book as it is published, and serve it; yield its address."""
    folder: Path = tmp_path_factory.mktemp("published")
    book = whole_book.copied(folder / "book")
    shutil.copytree(ROOT / "docs/javascripts", book.root / "docs/javascripts")
    book.settings["extra_javascript"] = ["javascripts/book.js"]
    book.save_settings()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("BOOK_REPOSITORY", "https://github.com/OWNER/NAME")
        done = book.build("--site-dir", str(folder / "NAME"))
    assert done.returncode == 0, done.stderr
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    address = f"http://127.0.0.1:{server.server_port}/NAME/"
    pages = folder / "NAME/sitemap.xml"
    pages.write_text(pages.read_text(encoding="utf-8").replace(SITE, address), encoding="utf-8")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield address
    server.shutdown()


@pytest.fixture
def page(browser: Any, published: str) -> Iterator[Any]:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
    page.goto(f"{published}part/01-one/")
    yield page
    context.close()


def test_instant_navigation_leaves_each_page_its_own_records(page: Any, published: str) -> None:
    page.evaluate("window.stayed = true")
    first = page.evaluate(SAID)
    for place, records in (("part/02-two/", 1), ("glossary/", 0), ("part/01-one/", 1)):
        visit(page, published + place)
        until(page, f"document.querySelectorAll('script[type=\"application/ld+json\"]').length === {records}")
    assert page.evaluate("window.stayed")
    assert sorted(page.evaluate(SAID)) == sorted(first)
    assert page.errors == []


def test_the_entry_is_copied_as_it_stands(page: Any) -> None:
    page.locator(".cite summary").click()
    page.locator(".cite pre").hover()
    page.locator(".cite :is(.md-clipboard, .md-code__button)").first.click()
    until(page, "navigator.clipboard.readText().then(text => text.startsWith('@incollection{'))")
    assert page.evaluate("navigator.clipboard.readText()").strip() == page.locator(".cite code").inner_text().strip()
    assert page.errors == []


def test_a_report_names_the_heading_at_which_the_reader_is(page: Any) -> None:
    page.evaluate("document.addEventListener('click', event => event.preventDefault())")
    report = page.locator(".report")
    for anchor in ("#exercises", "#one-sums", ""):
        page.evaluate("anchor => { location.hash = anchor }", anchor)
        report.click()
        [where] = parse_qs(urlsplit(report.get_attribute("href")).query)["where"]
        assert where == f"{SITE}part/01-one/{anchor}"
    assert page.errors == []
