"""Measures the press beside stock mkdocs-jupyter and Jupyter Book 1 on a generated book, and prints a table of ratios.

    python benchmarks/press.py                          # 24 chapters, everything; about ten minutes on two cores
    python benchmarks/press.py --chapters 4 --only press,stock

All three build the same chapters, in one run and in turn, so that a ratio compares the same minutes of the machine.

- **Cold**: no site, no executed notebook, no cache of the tool's, no font cache; the machine's file cache is warm for
  all, because each tool first builds a book of one chapter.
- **Unchanged**: the same command again.
- **One edited chapter**: a line of prose and a code cell of one chapter have changed.
- **One edited snippet**: the body of a function has changed that the chapters of one part import.

After each build of an edited book the pages are searched for what the new code prints; a tool whose pages still show
the old output "does not notice". Stock mkdocs-jupyter runs with ``execute: true`` and its defaults otherwise, so its
cache of rendered pages is on; Jupyter Book runs with ``execute_notebooks: cache``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

# Run as a file, Python looks for modules in this folder, where ``press`` would be this file.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import tools as builders
from benchmarks.browser import MATHJAX, Visit, visit_pages
from benchmarks.generated_book import PER_PART, ROOT
from benchmarks.tools import JUPYTER_BOOK, PRESS, STOCK, BuildError, Tool

BROWSER = "browser"
NAMES = {
    PRESS: "press",
    STOCK: "stock mkdocs-jupyter",
    JUPYTER_BOOK: "Jupyter Book 1",
    **{name: f"press with MathJax {version}" for name, (version, _) in MATHJAX.items()},
}
TOOLS = (PRESS, STOCK, JUPYTER_BOOK)
COLD, UNCHANGED, CHAPTER, SNIPPET = "cold", "unchanged", "chapter", "snippet"
OUTPUTS = ("chapter edition 0", "snippet edition 0,", "the descent <em>early</em>")  # of the first and the last cell
NOT_MEASURED = "not measured"
NOTE = "A ratio is to the press's value. Jupyter Book keeps figures in files of their own, the others in the page."
Seconds = dict[str, dict[str, list[float]]]


@dataclass
class Result:
    """Everything that was measured: by tool, then by step."""

    chapters: int
    seconds: Seconds = field(default_factory=dict)
    notices: dict[str, dict[str, bool]] = field(default_factory=dict)
    page_bytes: dict[str, tuple[float, float]] = field(default_factory=dict)
    visits: dict[str, Visit | str] = field(default_factory=dict)

    def median_s(self, tool: str, step: str) -> float | None:
        """Return the median time of a step, or ``None`` if it was not measured."""
        measured = self.seconds.get(tool, {}).get(step)
        return statistics.median(measured) if measured else None


def measure_builds(tools: Mapping[str, Tool], result: Result, *, repeat: int, cold: int) -> None:
    """Build the book with each tool, cold and then after each kind of edit, the tools in turn."""
    for tool in tools.values():
        print(f"{NAMES[tool.name]}: warming up", file=sys.stderr)
        tool.write_book(1)
        tool.build()
        tool.write_book(result.chapters)
    for _ in range(cold):
        for tool in tools.values():
            tool.clean()
            _build(tool, COLD, result)
    for tool in tools.values():
        _expect(tool, range(1, result.chapters + 1), *OUTPUTS)
    edited = (result.chapters + 1) // 2
    for edition in range(1, repeat + 1):
        for tool in tools.values():
            _build(tool, UNCHANGED, result)
        for tool in tools.values():
            tool.edit_chapter(edited, edition)
            _build(tool, CHAPTER, result)
            _note(tool, CHAPTER, result, _shows(tool, edited, f"chapter edition {edition}", f"its edition {edition}"))
        for tool in tools.values():
            tool.edit_snippet(1, edition)
            _build(tool, SNIPPET, result)
            seen = [_shows(tool, number, f"snippet edition {edition},") for number in importers(result.chapters)]
            _note(tool, SNIPPET, result, all(seen))


def importers(chapters: int) -> range:
    """Return the chapters that import the snippet module that is edited."""
    return range(1, min(PER_PART, chapters) + 1)


def measure_pages(tools: Mapping[str, Tool], result: Result) -> None:
    """Weigh the HTML of the chapters: mean bytes, raw and gzipped."""
    for tool in tools.values():
        pages = [tool.html(number).read_bytes() for number in range(1, result.chapters + 1)]
        packed = [len(gzip.compress(page, 6, mtime=0)) for page in pages]
        result.page_bytes[tool.name] = (statistics.mean(map(len, pages)), statistics.mean(packed))


def measure_visits(tools: Mapping[str, Tool], result: Result, work: Path) -> None:
    """Visit a chapter in Chromium; the press's book is built first if that was not asked for."""
    press = tools.get(PRESS) or builders.the_press(work)
    if PRESS not in tools:
        press.write_book(result.chapters)
        press.build()
    sites = {PRESS: press} | {name: tool for name, tool in tools.items() if name == STOCK}
    result.visits = visit_pages(sites, work)


def _build(tool: Tool, step: str, result: Result) -> None:
    started = time.perf_counter()
    tool.build()
    seconds = time.perf_counter() - started
    result.seconds.setdefault(tool.name, {}).setdefault(step, []).append(seconds)
    print(f"{NAMES[tool.name]}: {step} {seconds:.2f} s", file=sys.stderr)


def _shows(tool: Tool, number: int, *texts: str) -> bool:
    page = tool.html(number).read_text(encoding="utf-8")
    return all(text in page for text in texts)


def _expect(tool: Tool, numbers: Sequence[int], *texts: str) -> None:
    silent = [number for number in numbers if not _shows(tool, number, *texts)]
    if silent:
        raise BuildError(f"{NAMES[tool.name]} built chapters {silent} without the outputs of their cells")


def _note(tool: Tool, step: str, result: Result, seen: bool) -> None:
    notices = result.notices.setdefault(tool.name, {})
    notices[step] = notices.get(step, True) and seen


def report(result: Result) -> str:
    """Return the tables: builds and pages, the first visit, and the targets."""
    tables = [builds_table(result), visits_table(result), targets_table(result)]
    return "\n\n".join(table for table in tables if table)


def builds_table(result: Result) -> str:
    """Return the times of the builds and the sizes of the pages; a ratio is to the press's value."""
    if not result.seconds:
        return ""
    shared = len(importers(result.chapters))
    steps = {
        COLD: f"cold build, {result.chapters} chapters",
        UNCHANGED: "unchanged rebuild",
        CHAPTER: "one edited chapter",
        SNIPPET: f"one edited snippet ({shared} chapters import it)",
    }
    rows = []
    for step, label in steps.items():
        cells = []
        for tool in TOOLS:
            cell = _ratio(result.median_s(tool, step), result.median_s(PRESS, step), " s", 2)
            ignores = not result.notices.get(tool, {}).get(step, True)
            cells.append(f"{cell}, does not notice" if ignores else cell)
        rows.append([label, *cells])
    for index, label in enumerate(("HTML of a chapter's page", "the same, gzipped")):
        sizes = {tool: result.page_bytes[tool][index] / 1000 for tool in result.page_bytes}
        rows.append([label, *(_ratio(sizes.get(tool), sizes.get(PRESS), " KB", 1) for tool in TOOLS)])
    return _table(["", *(NAMES[tool] for tool in TOOLS)], rows)


def visits_table(result: Result) -> str:
    """Return what a first visit costs; a ratio is to the press's value."""
    if not result.visits:
        return ""
    columns = [name for name in (PRESS, *MATHJAX, STOCK) if name in result.visits]
    measures: list[tuple[str, Callable[[Visit], float | None], str, int]] = [
        ("requests of a first visit", lambda visit: visit.requests, "", 0),
        ("bytes received", lambda visit: visit.received_bytes / 1000, " KB", 1),
        ("requests to other hosts", lambda visit: visit.requests_to_other_hosts, "", 0),
        ("fonts loaded", lambda visit: visit.fonts, "", 0),
        ("formulas drawn", lambda visit: visit.formulas, "", 0),
        ("last formula painted", lambda visit: visit.painted_ms.get("1"), " ms", 0),
        ("the same, CPU 4 times slower", lambda visit: visit.painted_ms.get("4"), " ms", 0),
    ]
    press = result.visits.get(PRESS)
    rows = []
    for label, value, unit, digits in measures:
        reference = value(press) if isinstance(press, Visit) and unit else None
        visits = [result.visits[name] for name in columns]
        cells = [it if isinstance(it, str) else _ratio(value(it), reference, unit, digits) for it in visits]
        rows.append([label, *cells])
    return _table(["", *(NAMES[name] for name in columns)], rows)


def targets_table(result: Result) -> str:
    """Return each target with what was measured; a target with a missing side is left out."""
    sizes = {tool: size for tool, (size, _) in result.page_bytes.items()}
    cold, unchanged, chapter = (
        {tool: result.median_s(tool, step) for tool in TOOLS} for step in (COLD, UNCHANGED, CHAPTER)
    )
    targets = [
        ("cold build, times as fast as stock", cold[STOCK], cold[PRESS], "at least", 2.0),
        ("unchanged rebuild, times as fast as cold", cold[PRESS], unchanged[PRESS], "at least", 12.0),
        ("one edited chapter, times as fast as cold", cold[PRESS], chapter[PRESS], "at least", 6.0),
        ("HTML of a page, times smaller than stock's", sizes.get(STOCK), sizes.get(PRESS), "at least", 8.0),
        ("unchanged, times as long as Jupyter Book", unchanged[PRESS], unchanged[JUPYTER_BOOK], "at most", 1.2),
        ("one edited chapter, times as long as Jupyter Book", chapter[PRESS], chapter[JUPYTER_BOOK], "at most", 1.2),
    ]
    rows = []
    for label, above, below, side, bound in targets:
        if above is not None and below is not None:
            ratio = above / below
            met = ratio >= bound if side == "at least" else ratio <= bound
            rows.append([label, f"{side} {bound:g}", f"{ratio:.2f}", "yes" if met else "no"])
    return _table(["target", "asked", "measured", "met"], rows) if rows else ""


def _ratio(value: float | None, reference: float | None, unit: str, digits: int) -> str:
    """Write a value and, where it is not the reference itself, how many times the reference it is."""
    if value is None:
        return NOT_MEASURED
    text = f"{value:.{digits}f}{unit}"
    return text if not reference or value == reference else f"{text} ({value / reference:.1f}×)"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table whose columns line up as plain text too."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in [head, *rows]
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def machine() -> str:
    """Return one line on what measured."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count()
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {cores} cores"


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    everything = (*TOOLS, BROWSER)
    parser.add_argument("--chapters", type=int, default=24, help="how many chapters the book has (default 24)")
    parser.add_argument("--repeat", type=int, default=3, help="how often each rebuild is timed; the median counts")
    parser.add_argument("--cold", type=int, default=1, help="how often the cold build is timed")
    parser.add_argument("--only", default=",".join(everything), help=f"what to measure: {','.join(everything)}")
    parser.add_argument("--work", type=Path, default=ROOT / ".press" / "benchmark", help="where books and tools go")
    parser.add_argument("--json", type=Path, help="write every measured value into this file")
    read = parser.parse_args(arguments)
    read.only = read.only.split(",")
    unknown = set(read.only) - set(everything)
    if unknown:
        parser.error(f"--only takes {', '.join(everything)}; not {', '.join(sorted(unknown))}")
    for name in ("chapters", "repeat", "cold"):
        if getattr(read, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(read, name)}")
    return read


def main() -> None:
    """Measure what was asked for and print the tables."""
    asked = options()
    work = asked.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    makers = {PRESS: builders.the_press, STOCK: builders.stock, JUPYTER_BOOK: builders.jupyter_book}
    tools = {name: make(work) for name, make in makers.items() if name in asked.only}
    result = Result(asked.chapters)
    try:
        if JUPYTER_BOOK in tools:
            builders.make_jupyter_book_environment(work)
        if tools:
            measure_builds(tools, result, repeat=asked.repeat, cold=asked.cold)
            measure_pages(tools, result)
        if BROWSER in asked.only:
            measure_visits(tools, result, work)
    except BuildError as error:
        sys.exit(f"The measurement stopped. {error}")
    print(f"{machine()}. {NOTE}\n\n{report(result)}")
    if asked.json:
        record = {"machine": machine(), "measured_on": time.strftime("%Y-%m-%d"), **asdict(result)}
        asked.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
