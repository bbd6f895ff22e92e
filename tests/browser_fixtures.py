"""The built book in Chromium: what the browser tests of every folder share.

``tests/conftest.py`` hands the fixtures to all of them. The site is built once a run; a browser lives as long as a
test file, since Playwright keeps an event loop running that other tests may not meet.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from press.site import runtime

ROOT = Path(__file__).parents[1]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
AXE = ROOT / "node_modules/axe-core/axe.min.js"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def need(condition: object, how: str) -> None:
    """Skip the test, or fail it in CI, where ``condition`` does not hold; ``how`` says what to do about it."""
    if not condition:
        if os.environ.get("CI"):
            pytest.fail(f"CI has to run the browser tests: {how}")
        pytest.skip(how)


WCAG = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
# What depends on colours: all in which the dark scheme differs from the light one.
CONTRAST = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


def violations(page: Any, within: str = "html", *, against: dict[str, Any] = WCAG) -> list[str]:
    """Return what axe-core finds against WCAG 2.1 A and AA in the elements that the selector ``within`` names."""
    need(AXE.exists(), "needs axe-core: run `npm ci` and run pytest again")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))  # a script tag would be against the page's security policy
    options = {"runOnly": against, "resultTypes": ["violations"]}
    result = page.evaluate("([within, options]) => axe.run(within, options)", [within, options])
    return [
        f"{violation['id']}: {node['html'][:160]} ({node.get('failureSummary', '')[:200]})"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]


def until(page: Any, script: str, argument: Any = None, *, within_s: float = 60) -> Any:
    """Wait until a script's value is true, and return it; the page's policy forbids Playwright's own way of waiting."""
    end, pause_ms = time.monotonic() + within_s, 20.0
    while not (value := page.evaluate(script, argument)):
        assert time.monotonic() < end, f"waited {within_s} s for {script}, at {page.url}"
        page.wait_for_timeout(pause_ms)
        pause_ms = min(1.3 * pause_ms, 250)  # asking takes processor time that the page needs
    return value


def elsewhere(page: Any, *, tampered: str = "") -> list[str]:
    """Let the page get the runtime as if ``npm ci`` had not been run, and return what it asks jsDelivr for."""
    asked: list[str] = []

    def manifest(route: Any) -> None:
        own = json.loads(route.fetch().text())
        route.fulfill(body=json.dumps(runtime.manifest(here=False, archives=own["archives"])))

    def package(route: Any) -> None:
        path = route.request.url.removeprefix(f"{runtime.CDN}/npm/")
        asked.append(path)
        content = (ROOT / "node_modules" / re.sub(r"(?<=.)@[\d.]+/", "/", path, count=1)).read_bytes()
        body = content + b"\n" if tampered and path.endswith(tampered) else content
        route.fulfill(body=body, headers={"Access-Control-Allow-Origin": "*"})

    page.route("**/assets/runtime/manifest.json", manifest)
    page.route(f"{runtime.CDN}/**", package)
    return asked


@contextlib.contextmanager
def dark(page: Any) -> Iterator[None]:
    """Go from the light scheme to the dark one, as a reader does, and back."""
    for scheme in ("slate", "default"):
        page.locator("[data-md-component=palette] label").filter(visible=True).click()
        until(page, "scheme => document.body.dataset.mdColorScheme === scheme", scheme)
        page.wait_for_timeout(300)  # colours fade
        if scheme == "slate":
            yield


def visit(page: Any, url: str) -> None:
    """Go to another page of the site as a link does: by instant navigation, so that Python goes on running."""
    if page.url.partition("#")[0] == url:
        return
    page.evaluate(
        """url => {
            document.querySelector('article').dataset.left = 'true';
            const link = Object.assign(document.createElement('a'), {href: url});
            document.querySelector('article').append(link);
            link.click();
        }""",
        url,
    )
    until(page, "url => location.href === url && !document.querySelector('article').dataset.left", url)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


# As ``mkdocs build --strict``, but for the address: instant navigation asks for the one at which the site is served.
NOWHERE = "http://nowhere.invalid/one-gradient/"
BUILD = """
import sys
from mkdocs.commands.build import build
from mkdocs.config import load_config
config = load_config("mkdocs.yml", strict=True, site_dir=sys.argv[1], site_url=sys.argv[2])
config.plugins.on_startup(command="build", dirty=False)
build(config)
"""


def _built(folder: Path) -> Path:
    """Build the site in a folder that all workers of a run have, once, and return it."""
    built, begun = folder / "one-gradient", folder / "begun"
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            done = subprocess.run(
                [sys.executable, "-c", BUILD, str(begun), NOWHERE], cwd=ROOT, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            begun.rename(built)
    return built


def _copy_of(built: Path, copy: Path, address: str) -> None:
    """Copy a built site to where it is served at an address, which its map of pages names."""
    shutil.copytree(built, copy, copy_function=os.link)
    pages = copy / "sitemap.xml"
    text = pages.read_text(encoding="utf-8").replace(NOWHERE, address)
    pages.unlink()  # the other copies have the same file
    pages.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Build the site and serve it; yield its folder and its address."""
    need(CHROMIUM, "needs Chromium: install it (Debian: apt install chromium) and run pytest again")
    folder = tmp_path_factory.mktemp("site")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    address = f"http://127.0.0.1:{server.server_port}/one-gradient/"
    own = tmp_path_factory.getbasetemp()
    _copy_of(_built(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own), folder / "one-gradient", address)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, address
    server.shutdown()


@pytest.fixture(scope="session")
def site(served: tuple[Path, str]) -> Path:
    """Return the folder whose ``one-gradient`` holds the built site."""
    return served[0]


@pytest.fixture(scope="session")
def address(served: tuple[Path, str]) -> str:
    """Return the address of the site's first page."""
    return served[1]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Yield Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Any]:
    """Yield a function that opens a page of the site; the page keeps its ``requests`` and ``errors``."""
    contexts = []

    def open_(path: str, *, width: int = 1280, scheme: str = "light", **options: Any) -> Any:
        viewport = {"width": width, "height": 900}
        context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.requests = []
        page.errors = []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.goto(address + path, wait_until="load")
        page.evaluate("document.fonts.ready")
        page.wait_for_timeout(300)
        return page

    yield open_
    for context in contexts:
        context.close()
