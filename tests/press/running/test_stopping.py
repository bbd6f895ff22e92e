"""A build that is stopped, at definite points and in every way, leaves nothing behind and says that it was stopped."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest
from sampling import sampled
from small_book import CHAPTER, MKDOCS, SmallBook
from stopping import SAY_AND_SLEEP, Stopping, stopping

from press.running.kernels import can_fork

pytestmark = [
    pytest.mark.book,
    pytest.mark.skipif(not can_fork(), reason="finds the processes of a build by /proc (Linux)"),
]

ONE = "chapters/part/01-one.md"
HEADER = CHAPTER[: CHAPTER.index("# One")]
A_CELL = ""
DAEMONS = """\
import subprocess, sys
subprocess.run("setsid sleep 1000 >/dev/null 2>&1 &", shell=True)
subprocess.Popen(["sleep", "1000"], start_new_session=True, cwd="/")
fork_twice = "import os, time\\nif not os.fork():\\n    os.setsid()\\n    if not os.fork():\\n        time.sleep(1000)"
subprocess.run([sys.executable, "-c", fork_twice])"""


# Where a build is stopped, by which signal, and how it then ends.
STOPS = [
    ("build: import press.running.execute", signal.SIGTERM, -signal.SIGTERM),  # nothing is there yet
    ("build: import press.running.kernels", signal.SIGTERM, 143),  # the folder is there, the pool is not
    ("build: import press.running.kernels", signal.SIGHUP, 129),
    ("build: import nbclient", signal.SIGINT, -signal.SIGINT),  # the pool gets ready
    ("pool: import jupyter_client", signal.SIGTERM, 143),  # before it listens to signals
    ("pool: import matplotlib.pyplot", signal.SIGTERM, 143),
    ("pool: import matplotlib.pyplot", signal.SIGINT, -signal.SIGINT),
    ("pool: import matplotlib.pyplot", signal.SIGKILL, -signal.SIGKILL),
    (A_CELL, signal.SIGTERM, 143),
    (A_CELL, signal.SIGHUP, 129),
    (A_CELL, signal.SIGINT, -signal.SIGINT),
    (A_CELL, signal.SIGKILL, -signal.SIGKILL),
]


@pytest.fixture
def builds(small_book: SmallBook) -> Iterator[Stopping]:
    with stopping(small_book.root) as builds:
        yield builds


def write(book: SmallBook, *cells: str) -> None:
    """Make a chapter of these cells the only one that is executed."""
    (book.root / "chapters/part/02-two.md").unlink()
    book.write(ONE, HEADER + "# One\n" + "".join(f"\n```python\n{cell}\n```\n" for cell in cells))


@pytest.mark.parametrize(("at", "number", "status"), sampled(STOPS, 5))
def test_a_stopped_build_leaves_nothing_behind(
    small_book: SmallBook, builds: Stopping, at: str, number: signal.Signals, status: int
) -> None:
    write(small_book, SAY_AND_SLEEP)
    build = builds.start(at)
    builds.reach(build)
    build.send_signal(number)
    if at.startswith("build"):  # what it is doing, it does to its end; the pool is not asked to
        builds.go_on()
    assert builds.end(build) == status
    assert builds.left() == []
    assert "failed" not in builds.output()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)])
def test_a_build_stopped_while_it_writes_leaves_no_half_of_a_notebook(
    small_book: SmallBook, builds: Stopping, number: signal.Signals, status: int
) -> None:
    write(small_book, "print(1)")
    build = builds.start("build: os.utime")
    builds.reach(build)
    assert builds.left() != []
    build.send_signal(number)
    builds.go_on()
    assert builds.end(build) == status
    assert builds.left() == []
    executed = (small_book.root / ONE).with_suffix(".ipynb")
    assert json.loads(executed.read_text())["metadata"]["press"]


@pytest.mark.parametrize(
    ("number", "status"), sampled([(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 1)], 1)
)
def test_mkdocs_says_that_it_was_stopped(
    small_book: SmallBook, builds: Stopping, number: signal.Signals, status: int
) -> None:
    write(small_book, SAY_AND_SLEEP)
    build = builds.start(command=[*MKDOCS, "build"])
    builds.reach(build)
    build.send_signal(number)
    assert builds.end(build) == status
    assert builds.left() == []
    assert ("Aborted!" in builds.output()) == (number == signal.SIGINT)


def test_a_stopped_build_ends_ordinary_kernels_too(
    small_book: SmallBook, builds: Stopping, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRESS_FORK", "0")
    write(small_book, SAY_AND_SLEEP)
    build = builds.start()
    builds.reach(build)
    build.send_signal(signal.SIGTERM)
    assert builds.end(build) == 143
    assert builds.left() == []


def test_what_cells_leave_running_ends_with_the_build(small_book: SmallBook, builds: Stopping) -> None:
    write(small_book, DAEMONS)
    assert builds.end(builds.start()) == 0
    assert builds.left() == []
    assert (small_book.root / ONE).with_suffix(".ipynb").exists()


def test_what_cells_leave_running_ends_with_a_killed_build(small_book: SmallBook, builds: Stopping) -> None:
    write(small_book, DAEMONS, SAY_AND_SLEEP)
    build = builds.start()
    builds.reach(build)
    assert sum(process.name() == "sleep" for process in builds.alive()) >= 2
    build.kill()
    assert builds.end(build) == -signal.SIGKILL
    assert builds.left() == []
