"""Measures what a first visit to a chapter costs its reader, in Chromium with nothing cached.

    python -m benchmarks.first_visit                          # every chapter; about ten minutes
    python -m benchmarks.first_visit memory/22-zero/ --visits 3

The site is built into a temporary folder and sent from this machine as a public host would: text compressed, fonts and
pictures as they are. Counted are requests, the bytes of all that is sent (bodies, as compressed), and requests to other
hosts. Timed are, from the start of the visit, the last formula, which is painted once styles and fonts are there, with
the processor as it is and slowed four times; and slowed four times the largest contentful paint. The layout shift is
the sum of all shifts of a slowed visit, so at least what browsers report as cumulative layout shift. Times and shifts
are medians; every visit is in a context of its own.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import mimetypes
import os
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from benchmarks.chromium import build_site, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOME = "one-gradient"
VISITS = 5
PLAIN, SLOWED = 1, 4  # how many times slower the processor is; 4 is about a cheap phone's
TIMEOUT_MS = 120_000
SETTLED_MS = 500  # after the page is painted: what shifts then counts, too

# The goals, at most; the formula's is for the processor as it is.
REQUESTS_MOST, RECEIVED_MOST_BYTES, FORMULA_MOST_MS, SHIFT_MOST = 15, 150e3, 500.0, 0.1

# Runs in every page before its own scripts. Formulas are MathML in the page's HTML: the last is painted in the first
# frame that has them all and their font. A frame is painted between its callback and the message that this sends.
WATCH = """{
  window.watched = { painted_ms: 0, largest_ms: 0, shift: 0, settled: false };
  const observe = (type, add) => new PerformanceObserver(list => list.getEntries().forEach(add))
    .observe({ type, buffered: true });
  observe("largest-contentful-paint", entry => { watched.largest_ms = entry.startTime; });
  observe("layout-shift", entry => { watched.shift += entry.hadRecentInput ? 0 : entry.value; });
  const { port1: painted, port2: drawn } = new MessageChannel();
  painted.onmessage = () => { watched.painted_ms = performance.now(); };
  const formulas = document.getElementsByTagName("math");
  let before = "";
  const look = () => {
    const now = `${formulas.length} ${[...document.fonts].filter(font => font.status === "loaded").length}`;
    if (now !== before) drawn.postMessage(now);
    watched.settled = now === before && document.readyState === "complete" && document.fonts.status === "loaded";
    before = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""

# Formulas in closed folds are not painted before a reader's click.
SEEN = "({ ...watched, formulas: [...document.querySelectorAll('math')].filter(it => it.checkVisibility()).length })"


class FilesMissing(Exception):
    """A page asks for files that its site lacks; the message names them."""


@dataclass
class Visit:
    """What the first visit to a page costs; times are in ms, those of the formula by how much the processor is slowed.

    Attributes:
        formulas: those that are painted without a click.
    """

    requests: int
    received_bytes: int
    elsewhere: int
    formulas: int
    painted_ms: dict[int, float] = field(default_factory=dict)
    largest_ms: float = 0.0
    shift: float = 0.0

    def missed(self) -> list[str]:
        """Return the goals that the visit misses."""
        values = {
            "requests": (self.requests, REQUESTS_MOST),
            "bytes": (self.received_bytes, RECEIVED_MOST_BYTES),
            "other hosts": (self.elsewhere, 0),
            "last formula": (self.painted_ms[PLAIN], FORMULA_MOST_MS),
            "layout shift": (self.shift, SHIFT_MOST),
        }
        return [name for name, (value, most) in values.items() if value > most]


class Server(ThreadingHTTPServer):
    """Serves a folder, and notes the size of everything that it sent and what it does not have."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.address = f"http://127.0.0.1:{self.server_port}/"
        self.sent: list[int] = []
        self.missing: list[str] = []


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Serve a folder on a free port while the context lasts."""
    with Server(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        path = self.server.folder / unquote(urlsplit(self.path).path).lstrip("/")
        path = path / "index.html" if path.is_dir() else path
        status, body, headers = (200, *_packed(path)) if path.is_file() else (404, b"", {})
        if status == 404:
            self.server.missing.append(self.path)
        self.server.sent.append(len(body))
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@cache
def _packed(path: Path) -> tuple[bytes, dict[str, str]]:
    """Return a file as a public host sends it: text compressed, fonts and pictures as they are."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    body = path.read_bytes()
    texts = "application/javascript", "application/json", "application/xml", "image/svg+xml"
    if kind.startswith("text/") or kind in texts:
        return gzip.compress(body, 6), {"Content-Type": f"{kind}; charset=utf-8", "Content-Encoding": "gzip"}
    return body, {"Content-Type": kind}


def chapters_in(site: Path) -> list[str]:
    """Return the addresses of the chapters in a built site; beside a chapter's page stands its notebook."""
    return [f"{path.parent.relative_to(site).as_posix()}/" for path in sorted(site.glob("*/*/*.ipynb"))]


def visit_pages(browser: Browser, server: Server, pages: Sequence[str], visits: int) -> dict[str, Visit]:
    """Visit each page once to count, then several times at each speed, in turn, to time.

    Raises:
        FilesMissing: a page asks for files that the site lacks.
    """
    found = {page: _counted(browser, server, page) for page in pages}
    watched: dict[tuple[str, int], list[dict[str, float]]] = {}
    for _ in range(visits):
        for rate in (PLAIN, SLOWED):
            for page in pages:
                watched.setdefault((page, rate), []).append(_visit(browser, server.address + page, rate))
    for page, visit in found.items():
        for rate in (PLAIN, SLOWED):
            visit.painted_ms[rate] = statistics.median(seen["painted_ms"] for seen in watched[page, rate])
        visit.largest_ms = statistics.median(seen["largest_ms"] for seen in watched[page, SLOWED])
        visit.shift = statistics.median(seen["shift"] for seen in watched[page, SLOWED])
    return found


def _counted(browser: Browser, server: Server, page: str) -> Visit:
    """Return what a visit asks for until the network is idle."""
    server.sent.clear()
    server.missing.clear()
    elsewhere: list[str] = []
    watched = _visit(browser, server.address + page, PLAIN, elsewhere)
    if server.missing:
        raise FilesMissing(f"{page} asks for files that the site lacks: {', '.join(server.missing)}")
    return Visit(len(server.sent), sum(server.sent), len(elsewhere), int(watched["formulas"]))


def _visit(browser: Browser, address: str, rate: int, elsewhere: list[str] | None = None) -> dict[str, float]:
    """Visit a page with nothing cached, and return what it watched; requests to other hosts are put into a list."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.add_init_script(WATCH)
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
        if elsewhere is not None:
            own = ("", urlsplit(address).netloc)  # what a script made has no host
            page.on("request", lambda it: elsewhere.append(it.url) if urlsplit(it.url).netloc not in own else None)
        page.goto(address, wait_until="networkidle")
        _until_settled(page)
        page.wait_for_timeout(SETTLED_MS)
        return dict(page.evaluate(SEEN))
    finally:
        context.close()


def _until_settled(page: Page) -> None:
    """Wait until all is painted: a slow page's network is idle long before. Playwright's own way its policy forbids."""
    for _ in range(TIMEOUT_MS // 50):
        if page.evaluate("watched.settled"):
            return
        page.wait_for_timeout(50)
    raise TimeoutError(f"{page.url} was not painted within {TIMEOUT_MS / 1e3:.0f} s")


def table(visits: Mapping[str, Visit]) -> str:
    """Return the measurements as Markdown.

    >>> print(table({"a/b/": Visit(14, 120_000, 0, 30, {1: 210.0, 4: 900.0}, 850.0, 0.001)}))
    | page | requests | KB | other hosts | formulas | last formula | at 4× | largest paint at 4× | layout shift at 4× |
    |---|---|---|---|---|---|---|---|---|
    | a/b/ | 14 | 120 | 0 | 30 | 0.21 s | 0.90 s | 0.85 s | 0.0010 |
    """
    heads = ["page", "requests", "KB", "other hosts", "formulas", "last formula", f"at {SLOWED}×"]
    heads += [f"largest paint at {SLOWED}×", f"layout shift at {SLOWED}×"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for page, visit in visits.items():
        counts = f"{visit.requests} | {visit.received_bytes / 1e3:.0f} | {visit.elsewhere} | {visit.formulas}"
        times_ms = (visit.painted_ms[PLAIN], visit.painted_ms[SLOWED], visit.largest_ms)
        times = " | ".join(f"{time_ms / 1e3:.2f} s" for time_ms in times_ms)
        lines.append(f"| {page} | {counts} | {times} | {visit.shift:.4f} |")
    return "\n".join(lines)


def goals(visits: Mapping[str, Visit]) -> str:
    """Say which pages miss which goals.

    >>> print(goals({"a/b/": Visit(16, 120_000, 0, 30, {1: 210.0, 4: 900.0}, 850.0, 0.001)}))
    Goals: at most 15 requests, 150 KB, last formula in 0.5 s, layout shift 0.1. Missed by a/b/ (requests).
    """
    limits = f"{REQUESTS_MOST} requests, {RECEIVED_MOST_BYTES / 1e3:.0f} KB"
    head = f"Goals: at most {limits}, last formula in {FORMULA_MOST_MS / 1e3:g} s, layout shift {SHIFT_MOST:g}."
    missed = [f"{page} ({', '.join(visit.missed())})" for page, visit in visits.items() if visit.missed()]
    return f"{head} Missed by {', '.join(missed)}." if missed else f"{head} Met by all."


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, visit, print; the exit code says whether the goals are met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="memory/22-zero/; all chapters if none is named")
    parser.add_argument("--visits", type=int, default=VISITS, help="visits to each page at each speed")
    options = parser.parse_args(arguments)
    if options.visits < 1:
        parser.error(f"--visits must be at least 1, got {options.visits}")
    with tempfile.TemporaryDirectory() as folder:
        build_site(Path(folder) / HOME)
        chapters = chapters_in(Path(folder) / HOME)
        if unknown := set(options.pages) - set(chapters):
            parser.error(f"PAGE must be one of {', '.join(chapters)}, got {', '.join(sorted(unknown))}")
        pages = [f"{HOME}/{page}" for page in options.pages or chapters]
        with serve(Path(folder)) as server, chromium() as browser:
            try:
                found = visit_pages(browser, server, pages, options.visits)
            except FilesMissing as error:
                print(error, file=sys.stderr)
                return 1
    visits = {page.removeprefix(f"{HOME}/"): visit for page, visit in found.items()}
    print(f"Measured on {datetime.date.today()} on {len(os.sched_getaffinity(0))} cores.\n")
    print(f"{table(visits)}\n\n{goals(visits)}")
    return int(any(visit.missed() for visit in visits.values()))


if __name__ == "__main__":
    sys.exit(main())
