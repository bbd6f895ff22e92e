"""How pytest divides its work: tiers by markers, the tests among the cores, the graders one after another."""

from __future__ import annotations

import datetime
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A busy machine is no mistake, so no example has a deadline. In CI the same examples are drawn every time, at night
# others and more.
AT_NIGHT = os.environ.get("BOOK_SAMPLE") == "all"
settings.register_profile("book", deadline=None, max_examples=10)
settings.register_profile("ci", deadline=None, max_examples=10, derandomize=True)
settings.register_profile("night", deadline=None, max_examples=200)
settings.load_profile("night" if AT_NIGHT else "ci" if os.environ.get("CI") else "book")

# The day by which samples are drawn (tests/sampling.py), so that all workers draw the same.
os.environ.setdefault("BOOK_DATE", datetime.date.today().isoformat())

os.environ["NO_MKDOCS_2_WARNING"] = "1"  # CONTRIBUTING.md, "The press, and another generator"

# There is a worker for each core, and NumPy's own threads would only wait for one another.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# What is built here has no address but those that a test gives it.
for variable in ("BOOK_REPOSITORY", "BOOK_REVISION", "BOOK_SITE", "BOOK_DOWNLOADS"):
    os.environ.pop(variable, None)

EXERCISES = Path(__file__).parent / "exercises"
FIRST_TIER = "not (book or browser or labs or nightly)"
NOT_RUN = pytest.StashKey[Counter[str]]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to the night what is marked so, whatever tier it is of besides; a worker begins with long files."""
    all_of_them = AT_NIGHT or "nightly" in config.option.markexpr.replace(FIRST_TIER, "")
    late = [] if all_of_them else [item for item in items if item.get_closest_marker("nightly")]
    if late:
        config.hook.pytest_deselected(items=late)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    if hasattr(config, "workerinput"):
        files = Counter(item.path for item in items)
        long = {item.path for item in items if item.get_closest_marker("long")}
        items.sort(key=lambda item: (item.path not in long, -files[item.path]))


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist there is nothing to divide
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return 0, no workers, for a reader who grades exercises; ``None`` leaves the number to the cores.

    Builds, browsers and labs wait for other processes: there one worker more than cores is done sooner.
    """
    if _grades(config):
        return 0
    waits = config.option.markexpr in ("book", "browser", "labs")
    return len(os.sched_getaffinity(0)) + 1 if waits and hasattr(os, "sched_getaffinity") else None


def _grades(config: pytest.Config) -> bool:
    asked = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
    return all(EXERCISES in (path, *path.parents) for path in asked)


# What was not run is told in the last lines -------------------------------------------------------------------------


def _not_run(config: pytest.Config) -> Counter[str]:
    return config.stash.setdefault(NOT_RUN, Counter())


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count the tests of the other tiers."""
    for item in items:
        tiers = {mark.name for mark in item.iter_markers()}
        tier = next((tier for tier in ("nightly", "labs", "browser", "book") if tier in tiers), None)
        if tier:
            _not_run(item.config)[tier] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send a worker's counts to the process that prints."""
    counts = _not_run(session.config)
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["not run"] = dict(counts)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take a worker's counts: each worker has collected the same tests."""
    counts = _not_run(node.config)
    for tier, number in getattr(node, "workeroutput", {}).get("not run", {}).items():
        counts[tier] = number


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was not run and how to run it, and why tests were skipped."""
    if _grades(config):
        return
    skipped = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    described = dict(line.split(": ", 1) for line in config.getini("markers") if ": " in line)
    if not skipped and not _not_run(config):
        return
    terminalreporter.section("not run")
    for tier, number in sorted(_not_run(config).items()):
        terminalreporter.line(f"{number:5} tests: pytest -m {tier:8} {described[tier]}")
    for reason, number in sorted(skipped.items()):
        terminalreporter.line(f"{number:5} skipped: {reason.removeprefix('Skipped: ')}")
