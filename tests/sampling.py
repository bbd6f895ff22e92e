"""Which cases a tier takes today: some whose files have changed, and a few that go round with the date.

At night (``BOOK_SAMPLE=all``) all of them. The day is ``BOOK_DATE``, which pytest sets, so that a run can be repeated.
"""

from __future__ import annotations

import datetime
import functools
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from press.reading.chapter import find_chapters, read_chapter
from press.running.freshness import Freshness

Case = TypeVar("Case")
ROOT = Path(__file__).parents[1]
CHAPTERS = find_chapters(ROOT)
ALL = os.environ.get("BOOK_SAMPLE") == "all"


def at_night(*case: Any) -> Any:
    """Return a parameter of a test that only the nightly tier runs."""
    return pytest.param(*case, marks=pytest.mark.nightly)


def examples(night: int) -> int:
    """Return how many examples hypothesis draws for a test: by day an eighth of those of the night, but eight."""
    return night if ALL else max(8, night // 8)


def sampled(
    cases: Iterable[Case], size: int, *, changed: Callable[[Case], bool] = lambda _: False, most: int | None = None
) -> list[Case]:
    """Return ``size`` cases, on the next day the next ones, and besides at most ``most`` that have changed.

    Where more have changed (``most`` is ``size`` if it is not given), the night has the others: a commit that changes
    all of a large book is not tested for hours.
    """
    everything = list(cases)
    start = today().toordinal() * size
    order = [(start + place) % len(everything) for place in range(len(everything))]
    besides = [number for number in order[size:] if changed(everything[number])]
    taken = {*order[:size], *besides[: size if most is None else most]}
    return [case for number, case in enumerate(everything) if ALL or number in taken]


def in_turn(cases: Sequence[Case], most: int) -> Sequence[Case]:
    """Return at most so many cases, from all places of a long list, on the next day others, until all have come.

    At night too: for what would take hours otherwise.
    """
    days = max(1, -(-len(cases) // most))
    return cases[today().toordinal() % days :: days]


def today() -> datetime.date:
    """Return the day by which samples are drawn."""
    return datetime.date.fromisoformat(os.environ["BOOK_DATE"])


def chapter_changed(path: Path) -> bool:
    """Whether a chapter's text, or a module that its cells import, is among the changed files."""
    return path.relative_to(ROOT).as_posix() in changed_files() or bool(_reached(path) & changed_files())


def figure_changed(name: str) -> bool:
    """Whether the chapter that shows a live figure has changed, or a module that it imports."""
    shown = f"show_live({name})"
    return any(shown in path.read_text(encoding="utf-8") and chapter_changed(path) for path in CHAPTERS)


@functools.cache
def changed_files() -> frozenset[str]:
    """Return what the last day's commits and the work that is not committed change; without git, nothing."""
    git = shutil.which("git")
    if not git or not (ROOT / ".git").exists():
        return frozenset()
    since = today() - datetime.timedelta(days=1)
    commands = [["log", f"--since={since}T00:00", "--name-only", "--pretty="], ["diff", "--name-only", "HEAD"]]
    commands += [["ls-files", "--others", "--exclude-standard"]]
    told = [subprocess.run([git, *command], cwd=ROOT, capture_output=True, text=True).stdout for command in commands]
    return frozenset(line for text in told for line in text.splitlines() if line)


@functools.cache
def _freshness() -> Freshness:
    return Freshness(ROOT)


@functools.cache
def _reached(path: Path) -> frozenset[str]:
    code = [cell.source for cell in read_chapter(path, root=ROOT).cells if cell.kind == "code"]
    return frozenset(file.relative_to(ROOT).as_posix() for file in _freshness().reached(code))
