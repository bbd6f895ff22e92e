"""Measures what this book costs those who build and write it, now and with its chapters several times.

    python -m benchmarks.book                             # now and at twice the size, peers beside it
    python -m benchmarks.book --times 1 --only press      # this book alone, without the peers
    python -m benchmarks.book --only press --profile      # eleven minutes; besides, where an unchanged build goes

Every size is a fresh copy (``benchmarks/enlarged_book.py``). **Cold**: no site, no executed notebook, nothing kept.
**Unchanged**: the same command again. Then, under ``mkdocs serve``, from the saving of a file to the page that shows
the change: a few words of prose, a code cell, a module of ``snippets``, a live figure, an exercise. The edited module
is seen on its page of the reference; the server answers nothing before the whole build is done, so that the chapters
that depend on the module have been executed by then. How long executing took, the build's own log says. Memory is the
largest sum of the proportional set sizes of the build's processes, looked at five times a second during the cold build.

Beside it, in the same run, stock mkdocs-jupyter and Jupyter Book 1 build the same chapters, as notebooks and with
their caches on: cold, unchanged, and again after the edits of prose and of the cell. They have no exercises, no
reference and no live figures to make, and do not follow what a chapter imports.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import os
import pstats
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

import psutil

from benchmarks.peers import JUPYTER_BOOK, PEERS, STOCK, BuildError, Peer, run
from benchmarks.tiers import make_book

PRESS = "press"
NAMES = {PRESS: "press", STOCK: "stock mkdocs-jupyter", JUPYTER_BOOK: "Jupyter Book 1"}
MKDOCS = (sys.executable, "-m", "mkdocs")
BUILD = ("build", "--strict")
PATIENCE_S = 300
UNCHANGED_TIMES = 3
EDITIONS = 3
PROFILED = 15  # functions

CHAPTER = "chapters/memory/22-zero.md"
PAGE = "memory/22-zero/"


@dataclass(frozen=True)
class Edit:
    """A change that an author makes, and the page that shows it.

    Attributes:
        name: what is changed.
        path: the file.
        place: a pattern; what stands behind its first match is new in each edition.
        new: what is put there, with the edition's number in place of ``%d``.
        page: the page that shows it.
        shown: the text by which it is known there; no other edit shows it.
    """

    name: str
    path: str
    place: str
    new: str
    page: str
    shown: str

    def write(self, book: Path, edition: int) -> str:
        """Save an edition in place of the one before, all at once, and return the text that the page will show."""
        path = book / self.path
        before = re.escape(self.new).replace("%d", r"\d+")
        text = re.sub(before, "", path.read_text(encoding="utf-8"))
        found = re.search(self.place, text, re.MULTILINE | re.DOTALL)
        if not found:
            raise ValueError(f"{self.path} has no place for the edit {self.name!r}: {self.place}")
        draft = path.with_name(f".{path.name}.part")  # a name that the server does not look at
        draft.write_text(text[: found.end()] + self.new % edition + text[found.end() :], encoding="utf-8")
        draft.replace(path)
        return self.shown % edition


PROSE = Edit("a few words of prose", CHAPTER, r"^## .*?\n\n", "Prose edition %d. ", PAGE, "Prose edition %d.")
CELL = Edit(
    "a code cell",
    CHAPTER,
    r"^```python\n[^`]*(?=^```$)",
    'print("Cell edition", %d)\n',
    PAGE,
    "Cell edition %d",  # what the cell prints, and nothing in its code
)
MODULE = Edit(
    "a module of `snippets`",
    "snippets/memory/zero/formulas.py",
    r'\A"""Formulas: ',
    "module edition %d of ",
    "reference/memory/",
    "Formulas: module edition %d of",
)
FIGURE = Edit(
    "a live figure",
    "snippets/memory/zero/live.py",
    r'caption="',
    "Figure edition %d. ",
    PAGE,
    "Figure edition %d.",
)
EXERCISE = Edit(
    "an exercise",
    "exercises/memory/zero/fewest_ranks.py",
    r'^def fewest_ranks\(.*?"""',
    "Exercise edition %d: ",
    PAGE,
    "Exercise edition %d:",
)
EDITS = (PROSE, CELL, MODULE, FIGURE, EXERCISE)

COLD, UNCHANGED, MEMORY = "cold build", "unchanged build", "peak memory"
SITE, INDEX, LARGEST = "the site", "its search index", "its largest page, HTML gzipped"
EXECUTED, EXECUTING = ": chapters executed", ": executing them, added up"
ROWS = (
    COLD,
    UNCHANGED,
    *(edit.name + part for edit in EDITS for part in ("", EXECUTED, EXECUTING)),
    MEMORY,
    SITE,
    INDEX,
    LARGEST,
)
BYTES = {MEMORY: (1e6, "MB"), SITE: (1e6, "MB"), INDEX: (1e6, "MB"), LARGEST: (1e3, "KB")}

# Of this book on 2 cores: seconds at most, bytes at most; the cell's are what comes on top of executing its chapter.
GOALS = {COLD: 60.0, UNCHANGED: 2.0, PROSE.name: 3.0, CELL.name: 3.0, MEMORY: 1.5e9}


@dataclass
class Result:
    """What came of one tool at one size.

    Attributes:
        values: by the rows of the table, what was measured: seconds, bytes, chapters.
        failure: what ended the measurement early, empty if nothing did.
        not_taken: chapters that the tool has no page for, or one with a cell that raised.
        profile: where an unchanged build spends its time, as Markdown; empty if that was not asked for.
    """

    values: dict[str, list[float]] = field(default_factory=dict)
    failure: str = ""
    not_taken: Sequence[str] = ()
    profile: str = ""

    def add(self, name: str, value: float) -> None:
        """Add a measurement."""
        self.values.setdefault(name, []).append(value)

    def median(self, name: str) -> float | None:
        """Return the median of what was measured, ``None`` if nothing was."""
        return statistics.median(self.values[name]) if name in self.values else None


class Memory:
    """The largest memory in bytes that this process's descendants take at once, while the context lasts."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.2):
            total_bytes = 0
            for process in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):  # it has ended
                    total_bytes += process.memory_full_info().pss
            self.peak_bytes = max(self.peak_bytes, total_bytes)


def environment(book: Path) -> dict[str, str]:
    """Return the variables with which a book is built: its own modules go before this checkout's."""
    return {**os.environ, "PYTHONPATH": str(book), "NO_MKDOCS_2_WARNING": "1"}


def build(book: Path) -> float:
    """Build a book's site and return the seconds that it took."""
    begun = time.perf_counter()
    run([*MKDOCS, *BUILD], folder=book, environment=environment(book))
    return time.perf_counter() - begun


@dataclass(frozen=True)
class Server:
    """A running ``mkdocs serve``; the address ends in a slash, and the log has what it wrote to the terminal."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path

    def seconds_until(self, page: str, text: str) -> float:
        """Return the seconds from now until a page shows a text.

        Raises:
            BuildError: the server ended, the build has problems, or no page shows the text within ``PATIENCE_S``.
        """
        begun = time.perf_counter()
        shown = ""
        while text not in shown:
            if time.perf_counter() - begun > PATIENCE_S:
                raise BuildError(f"after {PATIENCE_S} s {page} did not show {text!r}:\n{self._last_lines()}")
            if self.process.poll() is not None:
                raise BuildError(f"mkdocs serve ended:\n{self._last_lines()}")
            time.sleep(0.02)
            shown = self._page(page)
            if "build-problems" in shown:
                raise BuildError(f"the book has problems after an edit:\n{self._last_lines()}")
        return time.perf_counter() - begun

    def _page(self, page: str) -> str:
        """Return a page; while a build runs, the server waits for its end. Before the first, there is none."""
        try:
            with urllib.request.urlopen(self.address + page, timeout=PATIENCE_S) as answer:
                return str(answer.read().decode())
        except (OSError, HTTPException):
            return ""

    def _last_lines(self) -> str:
        return self.log.read_text(encoding="utf-8")[-2000:]


@contextmanager
def served(book: Path) -> Iterator[Server]:
    """Serve a book while its files are edited."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = book.parent / "serve.log"
    command = [*MKDOCS, "serve", "-a", f"127.0.0.1:{port}"]
    variables = {**environment(book), "TMPDIR": str(book.parent)}  # where an ended server leaves its site
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=book, env=variables, stdout=out, stderr=subprocess.STDOUT)
    try:
        yield Server(process, f"http://127.0.0.1:{port}/one-gradient/", log)
    finally:
        process.terminate()
        process.wait()


def executed_s(log: str) -> list[float]:
    """Return the seconds that each chapter took that was executed, from a build's log.

    >>> executed_s("INFO    -  executed chapters/memory/22-zero.md in 1.2 s (1 of 1)")
    [1.2]
    """
    return [float(seconds) for seconds in re.findall(r"executed \S+ in ([\d.]+) s ", log)]


def sizes(site: Path) -> dict[str, int]:
    """Return the bytes of a built site, of its search index, and of its largest page gzipped."""
    pages = [path.read_bytes() for path in site.rglob("*.html")]
    return {
        SITE: _files_bytes(site),
        INDEX: _files_bytes(site / "search"),
        LARGEST: max(len(gzip.compress(page, 6)) for page in pages),
    }


def _files_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def profile(book: Path) -> str:
    """Return the functions of the press and of MkDocs in which an unchanged build spends its time, as Markdown."""
    measured = book.parent / "profile"
    command = [sys.executable, "-m", "cProfile", "-o", str(measured), "-m", "mkdocs", *BUILD]
    run(command, folder=book, environment=environment(book))
    return profile_table(measured)


def profile_table(measured: Path) -> str:
    """Return what cProfile wrote of functions of the press and of MkDocs, those with the most time first."""
    stats: Mapping[tuple[str, int, str], tuple[int, int, float, float, object]]
    stats = pstats.Stats(str(measured)).stats  # type: ignore[attr-defined]
    rows = []
    for (file, line, function), (_, calls, _, cumulative_s, _) in stats.items():
        if own := re.search(r".*/((?:press|mkdocs)/.+)", file):
            rows.append((cumulative_s, f"| `{own[1]}:{line}` `{function}` | {calls:,} | {cumulative_s:.2f} |"))
    longest = [row for _, row in sorted(rows, reverse=True)[:PROFILED]]
    return "\n".join(["| function | calls | seconds, with all that it calls |", "|---|---|---|", *longest])


def measure_press(book: Path, result: Result, *, profiled: bool) -> None:
    """Build a fresh copy of the book, build it again, serve it and edit it."""
    with Memory() as memory:
        result.add(COLD, build(book))
    result.add(MEMORY, memory.peak_bytes)
    for _ in range(UNCHANGED_TIMES):
        result.add(UNCHANGED, build(book))
    for name, size_bytes in sizes(book / "site").items():
        result.add(name, size_bytes)
    if profiled:
        result.profile = profile(book)
    with served(book) as server:
        server.seconds_until(PAGE, "ZeRO")
        for edition in range(1, EDITIONS + 1):
            for edit in EDITS:
                measure_edit(edit, book, edition, server, result)


def measure_edit(edit: Edit, book: Path, edition: int, server: Server, result: Result) -> None:
    """Save an edition under a running server, and add the seconds until the page shows it, and those of executing."""
    time.sleep(1)  # until the server is at rest: it looks at the files every half second
    before = len(server.log.read_text(encoding="utf-8"))
    text = edit.write(book, edition)
    result.add(edit.name, server.seconds_until(edit.page, text))
    if executed := executed_s(server.log.read_text(encoding="utf-8")[before:]):
        result.add(edit.name + EXECUTED, len(executed))
        result.add(edit.name + EXECUTING, sum(executed))


def measure_peer(book: Path, result: Result, peer: Peer) -> None:
    """Build a fresh copy of the book's chapters with another tool, again, and after edits of prose and of a cell."""
    peer.take(book)
    with Memory() as memory:
        result.add(COLD, peer.build())
    result.add(MEMORY, memory.peak_bytes)
    result.not_taken = peer.not_taken(book)
    for _ in range(UNCHANGED_TIMES):
        result.add(UNCHANGED, peer.build())
    for edition in range(1, EDITIONS + 1):
        for edit in (PROSE, CELL):
            text = edit.write(book, edition)
            peer.take_chapter(book, edit.path)
            seconds = peer.build()
            if text not in peer.page(edit.path):
                raise BuildError(f"its page of {edit.path} does not show {text!r}")
            result.add(edit.name, seconds)


def measure(tool: str, times: int, *, profiled: bool) -> Result:
    """Measure a tool at a size; what fails is said in the result, and ends nothing else."""
    result = Result()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        try:
            book = make_book(work / "book", times)
            if tool == PRESS:
                measure_press(book, result, profiled=profiled)
            else:
                measure_peer(book, result, PEERS[tool](work))
        except BuildError as error:
            result.failure = str(error)
    return result


def table(results: Mapping[str, Sequence[Result]], times: int) -> str:
    """Return what was measured as Markdown: now and, if that was measured, at several times the size, and how it grows.

    What another tool took has its ratio to the press's value at the same size.

    >>> press = Result({"cold build": [24.0]}), Result({"cold build": [60.0]})
    >>> stock = Result({"cold build": [48.0]}), Result(failure="out of memory")
    >>> print(table({"press": press, "stock": stock}, times=4))
    | | press, now | at 4× | grows | stock mkdocs-jupyter, now | at 4× | grows |
    |---|---|---|---|---|---|---|
    | cold build | 24.0 s | 60.0 s | 2.5× | 48.0 s (2.0×) | failed |  |
    """
    grown = (f"at {times}×", "grows") if times > 1 else ()
    heads = [head for tool in results for head in (f"{NAMES[tool]}, now", *grown)]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
    for name in ROWS:
        if any(name in result.values for pair in results.values() for result in pair):
            cells = [cell for tool in results for cell in _cells(name, tool, results)]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cells(name: str, tool: str, results: Mapping[str, Sequence[Result]]) -> list[str]:
    values, cells = [result.median(name) for result in results[tool]], []
    for size, (result, value) in enumerate(zip(results[tool], values, strict=True)):
        press = results[PRESS][size].median(name) if PRESS in results and tool != PRESS else None
        ratio = f" ({value / press:.1f}×)" if value is not None and press else ""
        missing = "failed" if result.failure else "not measured"
        cells.append(missing if value is None else f"{shown(name, value)}{ratio}")
    if len(values) == 1:
        return cells
    now, larger = values
    return [*cells, f"{larger / now:.1f}×" if now and larger else ""]


def shown(name: str, value: float) -> str:
    """Return a value with the unit of its row.

    >>> shown("unchanged build", 1.25), shown("peak memory", 1.2e9), shown("a code cell: chapters executed", 1)
    ('1.2 s', '1,200.0 MB', '1')
    """
    if name.endswith(EXECUTED):
        return f"{value:.0f}"
    unit_bytes, unit = BYTES.get(name, (1, "s"))
    return f"{value / unit_bytes:,.1f} {unit}"


def goals(result: Result) -> str:
    """Say in a line which goals the press meets with this book, and which it misses.

    >>> values = dict.fromkeys(GOALS, [2.5]) | {"a code cell: executing them, added up": [1.0]}
    >>> goals(Result(values)).partition(" Missed: ")[2]
    'unchanged build 2.5 s (at most 2.0 s).'
    """
    said: dict[str, list[str]] = {"Met": [], "Missed": [], "Not measured": []}
    for name, most in GOALS.items():
        value = result.median(name)
        if value is None:
            said["Not measured"].append(name)
            continue
        executing = (result.median(CELL.name + EXECUTING) or 0.0) if name == CELL.name else 0.0
        beyond = " beyond executing its chapter" if name == CELL.name else ""
        is_met = value - executing <= most
        said["Met" if is_met else "Missed"].append(
            f"{name} {shown(name, value - executing)}{beyond} (at most {shown(name, most)})"
        )
    sentences = [f"{head}: {', '.join(names)}." for head, names in said.items() if names]
    return " ".join(["Goals of this book on 2 cores.", *sentences])


def remarks(results: Mapping[str, Sequence[Result]], times: int) -> list[str]:
    """Return what a table cannot say: why a tool failed, which chapters it did not take, the profiles."""
    said = []
    for tool, pair in results.items():
        for size, result in zip(dict.fromkeys((1, times)), pair, strict=True):
            name = f"{NAMES[tool]}, at {size}×"
            if result.failure:
                said.append(f"{name}, failed: {result.failure}")
            if result.not_taken:
                chapters = ", ".join(result.not_taken)
                said.append(f"{name}, has no page of these chapters, or one with a cell that raised: {chapters}.")
            if result.profile:
                said.append(f"{name}, an unchanged build:\n\n{result.profile}")
    return said


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code: 1 if a tool failed, whatever the times."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=2, help="how often the enlarged book has each chapter; 1: none")
    parser.add_argument("--only", default=",".join(NAMES), help=f"some of {','.join(NAMES)}")
    parser.add_argument("--profile", action="store_true", help="where an unchanged build of the press spends its time")
    options = parser.parse_args(arguments)
    asked = options.only.split(",")
    if unknown := set(asked) - NAMES.keys():
        parser.error(f"--only takes {','.join(NAMES)}, got {','.join(sorted(unknown))}")
    if options.times < 1:
        parser.error(f"--times must be at least 1, got {options.times}")
    results = {}
    for tool in asked:
        sizes_asked = dict.fromkeys((1, options.times))
        results[tool] = [measure(tool, times, profiled=options.profile) for times in sizes_asked]
        print(f"{tool}: {[result.values for result in results[tool]]}", file=sys.stderr, flush=True)
    print(f"Measured on {datetime.date.today()} on {len(os.sched_getaffinity(0))} cores.\n")
    print(table(results, options.times))
    print("".join(f"\n{said}\n" for said in remarks(results, options.times)))
    if PRESS in results:
        print(goals(results[PRESS][0]))
    return int(any(result.failure for pair in results.values() for result in pair))


if __name__ == "__main__":
    sys.exit(main())
