"""What a first visit to a chapter costs a reader: requests, bytes, and the time until the last formula is painted.

A local server sends the finished sites as a public host would (text compressed). The page of the press is compared
with the same page whose TeX is left to MathJax: built by the same press, but for the one step that makes MathML.
"""

from __future__ import annotations

import gzip
import json
import mimetypes
import shutil
import statistics
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import yaml

from benchmarks.tools import PRESS, BuildError, Tool, run, the_press

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Name → version and script, below ``node_modules``. Material's documentation names version 3; 4 is the current one.
MATHJAX = {
    "mathjax-3": ("3.2.2", "mathjax-3/es5/tex-mml-chtml.js"),
    "mathjax-4": ("4.1.3", "mathjax-4/tex-mml-chtml.js"),
}
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # a request to another host fails at once
)
CPU_RATES = (1, 4)  # 4: a CPU four times as slow, about a cheap phone's
VISITS = 5
TIMEOUT_MS = 120_000

HOOK = r'''"""Leave the TeX to MathJax: the one step of the press that makes MathML is taken out."""

import re

import press.page


def leave_tex(page, report):
    """Keep the page as it is, but that MathJax wants numbered equations without the brackets around them."""
    return re.sub(r"\\\[\s*(\\begin\{equation\}.*?\\end\{equation\})\s*\\\]", r"\1", page, flags=re.DOTALL)


press.page.typeset = leave_tex
'''

SETTINGS = r"""window.MathJax = {
  tex: { inlineMath: [["\\(", "\\)"]], displayMath: [["\\[", "\\]"]], tags: "ams" },
  options: { ignoreHtmlClass: ".*|", processHtmlClass: "arithmatex" },
  output: { fontPath: "/node_modules/@mathjax/%%FONT%%-font" },
};
"""

# Runs in every page that is visited. MathJax puts its formulas into the page at once and goes on to prepare speech, so
# its own promise would tell too late; the formulas themselves tell.
WATCH = """
document.addEventListener("DOMContentLoaded", async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const isTex = (element) => !element.querySelector("mjx-container");
  while ([...document.querySelectorAll(".arithmatex")].some(isTex)) await frame();
  document.body.getBoundingClientRect();  // lays the page out, which is what asks for the fonts
  await document.fonts.ready;
  await frame();
  await frame();  // the one before has been painted
  const time = performance.now();
  const boxes = [...document.querySelectorAll("mjx-container, math")];
  const formulas = boxes.filter((box) => !box.closest("mjx-container *"));  // MathJax hides MathML in its boxes
  const painted = formulas.filter((box) => box.getBoundingClientRect().width > 0);
  const [first] = performance.getEntriesByName("first-contentful-paint");
  window.watched = {
    time: Math.max(time, first?.startTime ?? 0),
    fonts: [...document.fonts].filter((font) => font.status === "loaded").length,
    formulas: formulas.length,
    painted: painted.length,
  };
});
"""


class NotMeasured(Exception):
    """What would be needed to measure is missing; the message says what."""


@dataclass
class Visit:
    """What the first visit to one page costs; ``painted_ms`` has the median time for each rate of ``CPU_RATES``."""

    requests: int = 0
    received_bytes: int = 0
    requests_to_other_hosts: int = 0
    fonts: int = 0
    formulas: int = 0
    painted_ms: dict[str, float] = field(default_factory=dict)


def visit_pages(tools: Mapping[str, Tool], work: Path) -> dict[str, Visit | str]:
    """Visit chapter 1 of each tool's site and of the press's with MathJax; a string says why a page was not visited."""
    addresses = {name: (tool.site, tool.html(1)) for name, tool in tools.items()}
    results: dict[str, Visit | str] = {}
    node_modules = work / "mathjax" / "node_modules"
    try:
        install_mathjax(node_modules)
        for name in MATHJAX:
            variant = build_with_mathjax(tools[PRESS], work, name)
            addresses[name] = (variant.site, variant.html(1))
    except NotMeasured as reason:
        results |= dict.fromkeys(MATHJAX, f"not measured: {reason}")
    roots = {name: site for name, (site, _) in addresses.items()} | {"node_modules": node_modules}
    try:
        with _chromium() as browser, serve(roots) as server:
            pages = {name: server.address(name, page.relative_to(site)) for name, (site, page) in addresses.items()}
            results |= _visits(browser, server, pages)
    except NotMeasured as reason:
        results |= dict.fromkeys(addresses, f"not measured: {reason}")
    return results


def install_mathjax(node_modules: Path) -> None:
    """Fetch the versions of MathJax with npm where they are missing."""
    wanted = {name: version for name, (version, _) in MATHJAX.items()}
    packages = {name: node_modules / name / "package.json" for name in wanted}
    there = {
        name: json.loads(file.read_text(encoding="utf-8"))["version"]
        for name, file in packages.items()
        if file.exists()
    }
    if there == wanted:
        return
    npm = shutil.which("npm")
    if not npm:
        raise NotMeasured("needs npm")
    node_modules.mkdir(parents=True, exist_ok=True)
    names = [f"{name}@npm:mathjax@{version}" for name, version in wanted.items()]
    try:
        run([npm, "install", "--silent", "--no-save", "--prefix", ".", *names], folder=node_modules.parent)
    except BuildError as error:
        raise NotMeasured("needs MathJax from npm, which did not come") from error


def build_with_mathjax(press: Tool, work: Path, name: str) -> Tool:
    """Build the press's book again with its TeX left as it is and one version of MathJax in its pages."""
    variant = the_press(work, f"press-with-{name}")
    shutil.rmtree(variant.folder, ignore_errors=True)
    shutil.copytree(press.folder, variant.folder, ignore=shutil.ignore_patterns(".press", "site"))
    (variant.folder / "mathjax_hook.py").write_text(HOOK, encoding="utf-8")
    (variant.folder / "docs" / "mathjax.js").write_text(SETTINGS, encoding="utf-8")
    path = variant.folder / "mkdocs.yml"
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    settings["hooks"].append("mathjax_hook.py")
    scripts = ["mathjax.js", f"/node_modules/{MATHJAX[name][1]}"]
    settings["extra_javascript"] = [*settings.get("extra_javascript", []), *scripts]
    path.write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), encoding="utf-8")
    variant.build()
    return variant


def _visits(browser: Browser, server: Server, pages: Mapping[str, str]) -> dict[str, Visit | str]:
    """Visit each page once to count, then ``VISITS`` times at each rate, in turn, to time."""
    visits = {name: _count(browser, server, address) for name, address in pages.items()}
    times: dict[tuple[str, int], list[float]] = {}
    for _ in range(VISITS):
        for rate in CPU_RATES:
            for name, address in pages.items():
                if visits[name].formulas:
                    times.setdefault((name, rate), []).append(_watch(browser, address, rate)["time"])
    for (name, rate), measured in times.items():
        visits[name].painted_ms[str(rate)] = statistics.median(measured)
    return dict(visits)


def _count(browser: Browser, server: Server, address: str) -> Visit:
    """Return what a visit asks for, until the network is idle."""
    server.sent.clear()
    server.missing.clear()
    elsewhere: list[str] = []
    watched = _watch(browser, address, 1, elsewhere)
    if server.missing:
        raise BuildError(f"{address} asks for files that its site lacks: {', '.join(server.missing)}")
    return Visit(len(server.sent), sum(server.sent), len(elsewhere), watched["fonts"], watched["formulas"])


def _watch(browser: Browser, address: str, rate: int, elsewhere: list[str] | None = None) -> dict[str, Any]:
    """Visit a page with nothing in the cache; with ``elsewhere``, wait for the rest and collect foreign requests."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.add_init_script(WATCH)
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
        if elsewhere is not None:
            host = urlsplit(address).netloc
            page.on(
                "request", lambda it: elsewhere.append(it.url) if urlsplit(it.url).netloc not in ("", host) else None
            )
        page.goto(address, wait_until="networkidle" if elsewhere is not None else "commit")
        watched = page.wait_for_function("window.watched").json_value()
    finally:
        context.close()
    if watched["painted"] != watched["formulas"]:
        raise BuildError(f"{address} painted {watched['painted']} of {watched['formulas']} formulas")
    return dict(watched)


@contextmanager
def _chromium() -> Iterator[Browser]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise NotMeasured("needs playwright") from error
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not path:
        raise NotMeasured("needs Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Server(ThreadingHTTPServer):
    """Serves several sites, each below its name, and notes the size of everything that it sent."""

    daemon_threads = True

    def __init__(self, roots: Mapping[str, Path]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.roots = roots
        self.sent: list[int] = []
        self.missing: list[str] = []

    def address(self, name: str, path: Path) -> str:
        """Return the address of a file of a site."""
        return f"http://127.0.0.1:{self.server_port}/{name}/{path.as_posix().removesuffix('index.html')}"


@contextmanager
def serve(roots: Mapping[str, Path]) -> Iterator[Server]:
    """Serve the sites while the context lasts."""
    with Server(roots) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        name, _, rest = unquote(urlsplit(self.path).path).lstrip("/").partition("/")
        path = self.server.roots.get(name, Path("/nowhere")) / rest
        path = path / "index.html" if path.is_dir() else path
        status, body, headers = (200, *_packed(path)) if path.is_file() else (404, b"", {})
        if status == 404:
            self.server.missing.append(self.path)
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.server.sent.append(len(body))
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@cache
def _packed(path: Path) -> tuple[bytes, dict[str, str]]:
    """Return a file as a public host sends it: text compressed, fonts and pictures as they are."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    body = path.read_bytes()
    if kind.startswith("text/") or kind in ("application/javascript", "application/json", "image/svg+xml"):
        return gzip.compress(body, 6), {"Content-Type": f"{kind}; charset=utf-8", "Content-Encoding": "gzip"}
    return body, {"Content-Type": kind}
