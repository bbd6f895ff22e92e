"""Measures the tiers of tests on this book and on the book with its chapters several times, as a Markdown table.

    python -m benchmarks.tiers                              # all tiers, at four times; more than an hour
    python -m benchmarks.tiers --times 2 --tiers pytest     # the first tier alone, at twice the size

Both books are fresh copies in a temporary folder, so that nothing kept from earlier runs helps. One tier runs after the
other. One that fails is shown with its last lines, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.enlarged_book import ROOT, enlarge

TIERS = {
    "pytest": (),
    "book": ("-m", "book"),
    "browser": ("-m", "browser"),
    "labs": ("-m", "labs", "--dist", "load", "tests/labs"),  # as .ci/run gives them out
}
SIZES = ("now", "enlarged")
LAST_LINES = 30


@dataclass(frozen=True)
class Run:
    """What came of a tier: tests that ran, skipped ones not counted; seconds; its last lines if it failed."""

    tests: int
    seconds: float
    failure: str = ""

    def __str__(self) -> str:
        return f"{self.tests:,} | {'failed after ' if self.failure else ''}{self.seconds:,.0f}"


def command(tier: str) -> list[str]:
    """Return what runs a tier.

    >>> command("pytest")[1:], command("book")[1:]
    (['-m', 'pytest', '--quiet'], ['-m', 'pytest', '--quiet', '-m', 'book'])
    """
    return [sys.executable, "-m", "pytest", "--quiet", *TIERS[tier]]


def run(tier: str, book: Path) -> Run:
    """Run a tier in a book's folder."""
    report = book.parent / f"{book.name}-{tier}.xml"
    environment = {**os.environ, "PYTHONPATH": str(book)}
    begun = time.perf_counter()
    done = subprocess.run(
        [*command(tier), f"--junitxml={report}"],
        cwd=book,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - begun
    last = "\n".join(done.stdout.splitlines()[-LAST_LINES:])
    return Run(tests_that_ran(report), seconds, last if done.returncode else "")


def tests_that_ran(report: Path) -> int:
    """Return the number of tests in a report of pytest's; 0 where it did not come to write one."""
    if not report.exists():
        return 0
    suites = ElementTree.parse(report).iter("testsuite")
    return sum(int(suite.get("tests", 0)) - int(suite.get("skipped", 0)) for suite in suites)


def make_book(folder: Path, times: int) -> Path:
    """Write the book, with what ``npm ci`` installed here."""
    enlarge(folder, times)
    if (ROOT / "node_modules").exists():
        (folder / "node_modules").symlink_to(ROOT / "node_modules")
    return folder


def table(runs: dict[str, tuple[Run, Run]], times: int) -> str:
    """Return the measurements as Markdown.

    >>> print(table({"book": (Run(20, 100), Run(50, 250))}, times=4))
    | tier | tests now | seconds now | tests at 4× | seconds at 4× | ratio |
    |---|---|---|---|---|---|
    | `pytest -m book` | 20 | 100 | 50 | 250 | 2.5 |
    """
    lines = [f"| tier | tests now | seconds now | tests at {times}× | seconds at {times}× | ratio |", "|---" * 6 + "|"]
    for tier, (now, larger) in runs.items():
        ratio = "" if now.failure or larger.failure else f"{larger.seconds / now.seconds:.1f}"
        name = tier if tier == "pytest" else f"pytest -m {tier}"
        lines.append(f"| `{name}` | {now} | {larger} | {ratio} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=4, help="how often the enlarged book has each chapter")
    parser.add_argument("--tiers", default=",".join(TIERS), help=f"some of {','.join(TIERS)}")
    options = parser.parse_args(arguments)
    asked = options.tiers.split(",")
    if unknown := set(asked) - TIERS.keys():
        parser.error(f"--tiers takes {','.join(TIERS)}, got {','.join(sorted(unknown))}")
    runs = {}
    with tempfile.TemporaryDirectory() as work:
        books = make_book(Path(work) / "now", 1), make_book(Path(work) / "enlarged", options.times)
        for tier in asked:
            now, larger = (run(tier, book) for book in books)
            runs[tier] = now, larger
            print(f"{tier}: {now.seconds:.0f} s, {larger.seconds:.0f} s", file=sys.stderr, flush=True)
    print(f"Measured on {datetime.date.today()} on {len(os.sched_getaffinity(0))} cores.\n")
    print(table(runs, options.times))
    failed = {
        f"{tier}, {size}": run.failure for tier, pair in runs.items() for size, run in zip(SIZES, pair, strict=True)
    }
    for name, last in failed.items():
        if last:
            print(f"\n{name}, failed:\n\n{last}")
    return int(any(failed.values()))


if __name__ == "__main__":
    sys.exit(main())
