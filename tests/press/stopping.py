"""A build in a process of its own, stopped by a signal when it says that it has come to a certain point.

A point is reached when the build, or what it has started, writes into a FIFO. A build that ends before, or that has not
come there after ``PATIENCE_S``, fails the test with what all its processes were doing.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

PATIENCE_S = 300  # a machine with much else to do takes a minute for what takes seconds alone

BUILD = """
import sys
from pathlib import Path
from press.reading.chapter import find_chapters
from press.running.execute import execute_chapters
root = Path(sys.argv[1])
for problem in execute_chapters(find_chapters(root), root=root, jobs=2):
    print(problem, file=sys.stderr, flush=True)
"""

# Every interpreter of a build runs this before anything else, and stays where STOP_AT says.
AT_START = """
import faulthandler, os, signal, sys

faulthandler.enable(open(os.environ["STACKS"], "a"))  # SIGABRT writes what every thread is doing
signal.signal(signal.SIGINT, signal.default_int_handler)  # what is started in the background ignores it
process, _, point = os.environ["STOP_AT"].partition(": ")


def stay(*_, **__):
    with open(os.environ["REACHED"], "w") as reached:
        reached.write(".")
    with open(os.environ["GO_ON"], "rb", buffering=0) as go_on:
        go_on.read(1)


class Importing:
    def find_spec(self, name, path=None, target=None):
        if f"import {name}" == point:
            stay()


if process == ("pool" if "press.running.kernels" in sys.orig_argv else "build"):
    sys.meta_path.insert(0, Importing())
    if point == "os.utime":
        os.utime = stay
"""

SAY_AND_SLEEP = """\
import os, subprocess
with open(os.environ["REACHED"], "w") as reached:
    reached.write(".")
subprocess.run(["sleep", "1000"])"""


class Stopping:
    """Starts builds of the book in ``root`` and waits for what becomes of them."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.temporary = folder / "t"
        self.temporary.mkdir()
        (folder / "site").mkdir()
        (folder / "site/sitecustomize.py").write_text(AT_START)
        self._stacks_of_all = folder / "stacks"
        go_on, fifo = folder / "go-on", folder / "reached"
        os.mkfifo(go_on)
        os.mkfifo(fifo)
        self._go_on = os.open(go_on, os.O_RDWR)
        self._reached = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self._output = (folder / "output").open("w+")
        self._environment = {
            **os.environ,
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": os.pathsep.join([str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]),
            "GO_ON": str(go_on),
            "REACHED": str(fifo),
            "STACKS": str(self._stacks_of_all),
        }
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, at: str = "", command: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        """Start a build that stays ``at`` a point ("build: import nbclient"), or else where a cell stays."""
        process = subprocess.Popen(
            command or [sys.executable, "-c", BUILD, str(self.root)],
            cwd=self.root if command else None,
            env={**self._environment, "STOP_AT": at},
            stdout=self._output,
            stderr=self._output,
        )
        self._processes.append(process)
        return process

    def reach(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the build is where it stays."""
        self.wait(lambda: self._said() or process.poll() is not None, "its point", process)
        assert process.poll() is None, f"the build ended with {process.returncode}:\n{self.output()}"

    def go_on(self) -> None:
        """Let go of the process that stays at its point."""
        os.write(self._go_on, b".")

    def _said(self) -> bool:
        return bool(select.select([self._reached], [], [], 0)[0])

    def end(self, process: subprocess.Popen[bytes]) -> int:
        """Wait until the build has ended, and with it all that it has started; return its exit status."""
        self.wait(lambda: process.poll() is not None, "its end", process)
        self.wait(lambda: not self.alive(), "the end of all its processes", process)
        assert process.returncode is not None
        return process.returncode

    def wait(self, condition: Callable[[], object], what: str, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, f"the build did not come to {what}; its processes:\n{self._stacks(process)}"
            time.sleep(0.02)

    def alive(self) -> list[psutil.Process]:
        """Return the processes that builds have started: all have the path of the FIFO in their environment."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("REACHED") == self._environment["REACHED"]:
                    found.append(process)
        return found

    def output(self) -> str:
        self._output.seek(0)
        return self._output.read()

    def left(self) -> list[str]:
        """Return what the builds have left behind, but for the finished executed notebooks."""
        kinds = [self.temporary.glob("*"), self.root.glob("chapters/**/*.press-part")]
        return [path.name for kind in kinds for path in kind]

    def kill_all(self) -> None:
        for process in self.alive():
            with suppress(psutil.Error):
                process.kill()
        for started in self._processes:
            started.kill()
            started.wait()
        self._output.close()
        os.close(self._reached)
        os.close(self._go_on)

    def _stacks(self, build: subprocess.Popen[bytes]) -> str:
        """Return what every process of a build is doing, which ends them."""
        reported = []
        for process in self.alive():
            with suppress(psutil.Error, OSError):
                waits = Path(f"/proc/{process.pid}/wchan").read_text()
                reported.append(f"{process.pid} {process.status()} in {waits}: {process.cmdline()}")
                process.send_signal(signal.SIGABRT)
        with suppress(subprocess.TimeoutExpired):
            build.wait(10)
        return "\n".join([*reported, self.output(), self._stacks_of_all.read_text()])


@contextmanager
def stopping(root: Path) -> Iterator[Stopping]:
    """Give a ``Stopping`` with a folder whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        builds = Stopping(root, Path(folder))
        try:
            yield builds
        finally:
            builds.kill_all()
