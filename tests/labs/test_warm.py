"""A warm launch is a cold one but for the time that it takes: the same rows, the same failures, nothing left."""

from __future__ import annotations

import re
import signal
import time

import pytest
from launching import Launcher, Outcome, documented_command, marked
from warm import available

pytestmark = [pytest.mark.labs, pytest.mark.skipif(not available(), reason="launches are cold here")]

RING = "labs/collectives/ring_all_reduce.py"
HARD = "tests/labs/programs/hard_cases.py"


def counts(done: Outcome) -> list[dict[str, str]]:
    """Return the rows but for times, of which there are more if a line fits them."""
    return [row for row in done.rows.values() if not row["agree"].startswith("×")]


def last_words(done: Outcome) -> list[str]:
    """Return what a rank's exception and torchrun's report say, but for what differs between any two launches."""
    exceptions = re.findall(r"^\w+Error: .*", done.error, re.MULTILINE)
    _, report = done.error.split("ChildFailedError:")
    return [*exceptions, *re.sub(r"time +: .*|pid: \d+", "", report).splitlines()]


def test_a_lab_has_the_same_rows(launch: Launcher) -> None:
    """Here the ring is launched as a reader does it; the tests of every other lab do so with 2 ranks."""
    small = ("--largest-bytes", "65536", "--repeats", "3")
    warm, cold = (launch(RING, *small, ranks=2, cold=cold) for cold in (False, True))
    cold.assert_agrees()
    assert warm.code == 0
    assert counts(warm) == counts(cold)


def test_a_lab_fails_the_same_way(launch: Launcher) -> None:
    warm, cold = (launch(RING, ranks=1, wrong="snippets.nowhere:none", cold=cold) for cold in (False, True))
    assert warm.code == cold.code != 0
    assert warm.out == cold.out == ""
    assert "ModuleNotFoundError: No module named 'snippets.nowhere'" in last_words(cold)
    assert last_words(warm) == last_words(cold)


def test_forked_ranks_are_found_and_do_not_outlive_torchrun(launch: Launcher) -> None:
    process = launch.fork([part if part != "4" else "2" for part in documented_command(HARD)] + ["--case", "stop"])
    deadline = time.monotonic() + 60
    while len(marked(launch.mark)) < 4:  # torchrun, nursery, two ranks
        assert time.monotonic() < deadline, process.poll()
        time.sleep(0.1)
    launch.end()
    assert process.returncode == -signal.SIGKILL
    assert not launch.left()
