"""What an answer can do to its judge, to the machine and to the answers after it: nothing.

``hostile_answers/<against what>/<how>.py`` are whole answers to one exercise. None is solved, none lasts beyond the
limit, none leaves anything behind, and the next answers are judged as ever. ``# Message: …`` is
what the reader must be told.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from unicodedata import category

import pytest
from sampling import ROOT, sampled

from grader.catalogue import find
from grader.confining import GRACE_S, Limits
from grader.exercise import Exercise
from grader.messages import Result, message
from grader.sandbox import Sandbox
from grader.source import answer_of

pytestmark = pytest.mark.book

HOME = Path(__file__).parent / "hostile_answers"
ANSWERS = sorted(HOME.glob("*/*.py"))
LIMITS = Limits(time_s=2.0)
CHAPTER, EXERCISE = find("largest_micro_batch")
_, NEIGHBOUR = find("owners")
UNSHOWN = {"Cc", "Cf", "Cs"}  # what controls a terminal, or cannot be written
TRACES = [ROOT / "made-by-an-answer", ROOT / "made-by-an-answer.npy", Path("/dev/shm/made-by-an-answer")]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("path", sampled(ANSWERS, 20), ids=lambda path: "/".join(path.with_suffix("").parts[-2:]))
def test_a_hostile_answer(path: Path, sandbox: Sandbox) -> None:
    judges_rightly(sandbox, EXERCISE)
    kept, running = (ROOT / "README.md").stat(), processes_below(os.getpid())
    text = path.read_text(encoding="utf-8")
    began = time.monotonic()
    verdict = sandbox.judge(EXERCISE, text, path.name)
    # an answer that has to be ended has had its time and its grace; the rest is for a machine that is busy
    assert time.monotonic() - began < LIMITS.time_s + GRACE_S + 60
    assert verdict.status == "wrong", verdict
    told = message(Result(CHAPTER, EXERCISE, verdict), everything=True)
    assert {category(letter) for letter in told.replace("\n", "")}.isdisjoint(UNSHOWN), told
    assert len(told.encode()) < 20_000
    for line in text.splitlines():
        if line.startswith("# Message: "):
            assert line.removeprefix("# Message: ") in f"{verdict.expected} {verdict.got}", verdict
    assert processes_below(os.getpid()) <= running
    after = (ROOT / "README.md").stat()
    assert (after.st_mtime_ns, after.st_size, after.st_mode) == (kept.st_mtime_ns, kept.st_size, kept.st_mode)
    assert not any(path.exists() for path in TRACES)
    for exercise in (EXERCISE, NEIGHBOUR):
        judges_rightly(sandbox, exercise)


def judges_rightly(sandbox: Sandbox, exercise: Exercise) -> None:
    """A right answer has the time that it may need on a machine that is busy."""
    sandbox.limits = Limits(time_s=60.0)
    verdict = sandbox.judge(exercise, answer_of(exercise), "right.py")
    sandbox.limits = LIMITS
    assert verdict.status == "solved", verdict


def processes_below(process: int) -> set[int]:
    """Return the processes that a process has started, and those that they have, where Linux tells."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    found, waiting = set(), {process}
    while waiting:
        waiting = {child for child, parent in parents.items() if parent in waiting}
        found |= waiting
    return found
