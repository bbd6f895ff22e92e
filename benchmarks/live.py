"""How fast the page answers: ``python -m benchmarks.live`` builds the site and works every live figure in Chromium.

Measured in one run, on a local server, for each figure:

- a first turn of its first slider, with nothing cached, to the picture that the page brings of it;
- the same where Python has to draw it, beside a bare ``loadPyodide``, both with nothing cached;
- a knob's move to the redrawn picture, over 100 moves, once Python runs;
- how many redraws a picture is behind the hand while a knob is dragged.

And for each page with a live figure: requests, bytes of script and layout shift before any touch.
"""

from __future__ import annotations

import argparse
import functools
import json
import re
import statistics
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.chromium import build_site, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[1]
MOVES = 100
STARTS = 5
FIRST_MOST, MOVE_MOST_MS, BEHIND_MOST = 1.5, 100.0, 1  # the targets
FIGURE = re.compile(r'<figure class="book-figure live" id="([\w-]+)" data-module="[\w.]+" data-name="(\w+)">')

BARE = """<!doctype html><meta charset="utf-8"><script type="module">
const start = performance.now();
const { loadPyodide } = await import("./one-gradient/assets/runtime/pyodide@VERSION/pyodide.mjs");
await loadPyodide({ indexURL: new URL("./one-gradient/assets/runtime/pyodide@VERSION/", location).href });
globalThis.took = performance.now() - start;
</script>"""

# A bare start in a worker, as the book's own: what the worker itself costs is no cost of the book's.
BARE_WORKER = """<!doctype html><meta charset="utf-8"><script type="module">
const code = `
  const { loadPyodide } = await import("BASE/pyodide.mjs");
  await loadPyodide({ indexURL: "BASE/" });
  postMessage("ready");
`.replaceAll("BASE", new URL("./one-gradient/assets/runtime/pyodide@VERSION", location).href);
const start = performance.now();
const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
worker.onmessage = () => { globalThis.took = performance.now() - start; };
</script>"""

TURN = """id => {
    const figure = document.getElementById(id);
    const knob = figure.querySelector('.knob:not([hidden]) [type=range]');
    const start = performance.now();
    globalThis.took = undefined;
    figure.addEventListener('drawn', () => requestAnimationFrame(() => {
        globalThis.took = performance.now() - start;
    }), { once: true });
    knob.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    knob.value = Number(knob.value) + (knob.value === knob.max ? -1 : 1);
    knob.dispatchEvent(new Event('input', { bubbles: true }));
}"""

MOVE = """async ([id, moves]) => {
    const figure = document.getElementById(id);
    const knobs = [...figure.querySelectorAll('.knob:not([hidden]) [type=range]')];
    const took = [];
    for (let move = 0; move < moves; move++) {
        const knob = knobs[move % knobs.length];
        const place = Number(knob.value), last = Number(knob.max);
        const drawn = new Promise(resolve => figure.addEventListener('drawn', resolve, { once: true }));
        const start = performance.now();
        knob.value = place >= last ? Math.max(last - 1, 0) : place + 1;
        knob.dispatchEvent(new Event('input', { bubbles: true }));
        await drawn;
        await new Promise(requestAnimationFrame);
        took.push(performance.now() - start);
    }
    return took;
}"""

# Drags a knob faster than it can be drawn. Each turn of the knob has a number, and each redraw says which it shows: a
# picture is behind by the redraws that come after a turn and do not show it yet.
DRAG = """async id => {
    const figure = document.getElementById(id);
    const knob = figure.querySelector('.knob:not([hidden]) [type=range]');
    const next = () => new Promise(resolve => figure.addEventListener('drawn', e => resolve(e.detail), { once: true }));
    knob.dispatchEvent(new Event('input', { bubbles: true }));
    let turn = await next(), waiting = [], most = 0;
    figure.addEventListener('drawn', ({ detail }) => {
        most = Math.max(most, ...waiting.map(wanted => wanted.redraws));
        waiting = waiting.filter(wanted => wanted.turn > detail);
        waiting.forEach(wanted => { wanted.redraws += 1; });
    });
    for (let move = 0; move < 100; move++) {
        knob.value = move % (Number(knob.max) + 1);
        turn += 1;
        waiting.push({ turn, redraws: 0 });
        knob.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(resolve => setTimeout(resolve, 4));
    }
    while (waiting.length) await new Promise(resolve => setTimeout(resolve, 50));
    return most;
}"""

SHIFT = """globalThis.shift = 0;
new PerformanceObserver(list => list.getEntries().forEach(e => { shift += e.hadRecentInput ? 0 : e.value; }))
    .observe({ type: 'layout-shift', buffered: true });"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port, and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def figures_in(site: Path) -> dict[str, tuple[str, str]]:
    """Return for each live figure of a built site the address of its page and its id there."""
    found = {}
    for file in sorted(site.glob("*/*/index.html")):
        for number, name in FIGURE.findall(file.read_text(encoding="utf-8")):
            found[name] = (f"{file.parent.relative_to(site).as_posix()}/", number)
    return found


def _took(page: Page, within_s: float = 60) -> float:
    for _ in range(int(within_s * 50)):
        if (took := page.evaluate("globalThis.took")) is not None:
            return float(took)
        page.wait_for_timeout(20)
    raise TimeoutError("nothing was drawn: see the page")


def bare_ms(browser: Browser, address: str) -> float:
    """Return what a bare start of Pyodide takes with nothing cached, in ms."""
    page = browser.new_context().new_page()
    page.goto(address)
    took = _took(page)
    page.context.close()
    return took


def first_ms(browser: Browser, address: str, number: str, *, shipped: bool) -> float:
    """Return the time from the first turn of a figure's slider to its picture with nothing cached, in ms.

    Args:
        browser: where.
        address: of the figure's page.
        number: the figure's id there.
        shipped: whether the page may show the picture that the build has drawn.
    """
    page = browser.new_context().new_page()
    if not shipped:
        page.route("**/*-near.json", lambda route: route.fulfill(json={}))
    page.goto(address)
    page.evaluate("id => document.getElementById(id).scrollIntoView()", number)
    page.wait_for_timeout(500)  # it is read before it is touched
    page.evaluate(TURN, number)
    took = _took(page)
    page.context.close()
    return took


def moves_of(page: Page, number: str) -> tuple[list[float], int]:
    """Return the times of a figure's redraws in ms, and how far its picture was behind a hand that drags."""
    page.evaluate(TURN, number)
    page.wait_for_timeout(100)
    while page.locator(f"#{number} .live-note").inner_text():  # Python starts
        page.wait_for_timeout(100)
    return page.evaluate(MOVE, [number, MOVES]), page.evaluate(DRAG, number)


def before_a_touch(browser: Browser, address: str) -> dict[str, float]:
    """Return what a page asks for before any touch: requests, bytes of script, and how far it jumps."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    scripts, requests = [0], [0]

    def count(response: Any) -> None:
        requests[0] += 1
        if response.url.partition("?")[0].endswith(".js"):
            scripts[0] += len(response.body())

    page.on("response", count)
    page.add_init_script(SHIFT)
    page.goto(address, wait_until="load")
    page.wait_for_timeout(1000)
    shift = float(page.evaluate("shift"))
    page.context.close()
    return {"requests": requests[0], "script_bytes": scripts[0], "shift": shift}


def measured(site: Path, browser: Browser, names: Sequence[str], starts: int) -> dict[str, Any]:
    """Return all measurements of a built site, for all its figures or those named."""
    found = figures_in(site / "one-gradient")
    chosen = {name: found[name] for name in names or found}
    version = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"]["pyodide"]
    (site / "bare.html").write_text(BARE.replace("VERSION", version), encoding="utf-8")
    (site / "worker.html").write_text(BARE_WORKER.replace("VERSION", version), encoding="utf-8")
    results: dict[str, Any] = {"figures": {}, "pages": {}, "bare_ms": [], "bare_worker_ms": []}
    with served(site) as address:
        home = f"{address}one-gradient/"
        for name, (path, number) in chosen.items():
            first, shipped = [], []
            for _ in range(starts):  # in turn, so that both meet the same machine
                results["bare_ms"].append(bare_ms(browser, f"{address}bare.html"))
                results["bare_worker_ms"].append(bare_ms(browser, f"{address}worker.html"))
                first.append(first_ms(browser, home + path, number, shipped=False))
                shipped.append(first_ms(browser, home + path, number, shipped=True))
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.goto(home + path)
            moves, behind = moves_of(page, number)
            page.context.close()
            starts_ms = {"first_ms": statistics.median(first), "shipped_ms": statistics.median(shipped)}
            results["figures"][name] = {**starts_ms, "moves_ms": moves, "behind": behind}
            results["pages"][path] = before_a_touch(browser, home + path)
    return results


def report(results: dict[str, Any]) -> tuple[str, bool]:
    """Return the measurements as Markdown, and whether every target is met."""
    bare = statistics.median(results["bare_ms"])
    worker = statistics.median(results["bare_worker_ms"])
    lines = [
        f"bare loadPyodide {bare / 1e3:.2f} s in the page, {worker / 1e3:.2f} s in a worker (medians)",
        "",
        "| figure | first turn, ms | by Python, as a multiple of a bare start | a move: median, slowest ms | behind |",
        "|---|---|---|---|---|",
    ]
    good = True
    for name, figure in results["figures"].items():
        ratio, median = figure["first_ms"] / bare, statistics.median(figure["moves_ms"])
        shipped = figure["shipped_ms"]
        behind = figure["behind"]
        met = ratio <= FIRST_MOST and max(median, shipped) < MOVE_MOST_MS and behind <= BEHIND_MOST
        good = good and met
        moved = f"{median:.0f}, {max(figure['moves_ms']):.0f}"
        lines.append(f"| {name} | {shipped:.0f} | {ratio:.2f} | {moved} | {behind}{'' if met else ' (missed)'} |")
    lines += ["", "| page before a touch | requests | script kB | layout shift |", "|---|---|---|---|"]
    for path, page in results["pages"].items():
        lines.append(f"| {path} | {page['requests']} | {page['script_bytes'] / 1e3:.1f} | {page['shift']:.4f} |")
    return "\n".join(lines), good


def main() -> int:
    """Build, measure, print; the exit status says whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="live figures; all if none is named")
    parser.add_argument("--starts", type=int, default=STARTS, help="cold starts for each figure")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        site = Path(folder)
        build_site(site / "one-gradient")
        text, good = report(measured(site, browser, arguments.names, arguments.starts))
    print(text)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
