"""A torchrun forked from a process that has imported PyTorch, so that a launch does not import it anew for every rank.

``python tests/labs/warm.py DESCRIPTOR`` is that process. It imports nothing of the book and has one thread. For each
request on its connection it forks an agent, which is torchrun itself, but that it has its ranks forked. The agent has
threads, and what is forked from threads may wait for ever for a lock that one of them held: a nursery, forked from the
agent before it has any, forks the ranks. The process answers with the agent's number, then with the exit code. Whoever
loses its parent is killed: the process with its test, the agent with the process, the nursery with the agent, the ranks
with the nursery.

What only a cold launch can show: a lab that lacks an import; one that relies on the order of a set, which all forked
ranks have in common; a crash when the interpreter is taken down, which forked ranks leave out.
"""

from __future__ import annotations

import atexit
import ctypes
import faulthandler
import gc
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

MARK = "LABS_LAUNCH"
UNMARKED = "0" * 32  # as long as a mark, which takes its place
PR_SET_PDEATHSIG = 1

# What torchrun and the labs import.
WARM = (
    "numpy",
    "torch.distributed.run",
    "torch.distributed.algorithms.ddp_comm_hooks.default_hooks",
    "torch.distributed.checkpoint.state_dict",
    "torch.distributed.fsdp",
    "torch.distributed.optim",
    "torch.distributed.pipelining.schedules",
    "torch.distributed.tensor.debug",
    "torch.distributed.tensor.parallel",
)


def available() -> bool:
    """Whether launches can be forked here: macOS's own libraries do not survive it, and Windows has no fork."""
    return sys.platform == "linux"


class WarmTorchrun:
    """The tests' end of the warm process, which starts with the first launch."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._connection, self._far_end = Pipe()

    def launch(self, command: list[str], *, cwd: Path, environment: dict[str, str]) -> WarmLaunch:
        """Fork a torchrun; the last one has to have ended."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(self._far_end.fileno())],
                cwd=cwd,
                env={**environment, MARK: UNMARKED},
                pass_fds=[self._far_end.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            self._far_end.close()
        return WarmLaunch(self._connection, command, environment)

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        if self._process:
            self._process.wait()


class WarmLaunch:
    """A forked torchrun, with what tests use of ``subprocess.Popen``."""

    def __init__(self, connection: Connection, command: list[str], environment: dict[str, str]) -> None:
        self.returncode: int | None = None
        self._connection = connection
        self._command = command
        self._outputs = [tempfile.NamedTemporaryFile() for _ in range(2)]  # noqa: SIM115
        connection.send((command, environment, [output.name for output in self._outputs]))
        self.pid: int = connection.recv()

    def poll(self) -> int | None:
        """Return the exit code, ``None`` while torchrun runs."""
        if self.returncode is None and self._connection.poll():
            self.returncode = self._connection.recv()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until torchrun has ended."""
        if self.returncode is None:
            if not self._connection.poll(timeout):
                raise subprocess.TimeoutExpired(self._command, timeout or 0)
            self.returncode = self._connection.recv()
        assert self.returncode is not None
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait until torchrun has ended, and return what it and its ranks wrote to stdout and stderr."""
        self.wait(timeout)
        out, error = (Path(output.name).read_text(encoding="utf-8") for output in self._outputs)
        return out, error


class ForkedRank:
    """A rank forked from the nursery, with what torchrun uses of ``subprocess.Popen``."""

    def __init__(self, nursery: Connection, command: tuple[str, ...], environment: dict[str, str]) -> None:
        self.returncode: int | None = None
        self._nursery = nursery
        nursery.send((command, environment))
        self.pid: int = nursery.recv()

    def poll(self) -> int | None:
        """Return the exit code, ``None`` while the rank runs."""
        if self.returncode is None:
            self._nursery.send(self.pid)
            self.returncode = self._nursery.recv()
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait until the rank has ended."""
        end = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(f"rank {self.pid}", timeout)
            time.sleep(0.01)
        return code


def main() -> None:
    """Import what every launch imports, then fork a torchrun for each request."""
    _end_with_parent()
    requests = Connection(int(sys.argv[1]))
    for name in WARM:
        import_module(name)
    gc.collect()
    while True:
        try:
            command, environment, outputs = requests.recv()
        except EOFError:
            return
        agent = _fork(partial(_be_torchrun, command, environment, outputs))
        requests.send(agent)
        requests.send(os.waitstatus_to_exitcode(os.waitpid(agent, 0)[1]))


def _be_torchrun(command: list[str], environment: dict[str, str], outputs: list[str]) -> None:
    _carry_mark(environment[MARK])
    os.environ.clear()
    os.environ.update(environment)
    for descriptor, output in enumerate(outputs, start=1):
        os.dup2(os.open(output, os.O_WRONLY | os.O_APPEND), descriptor)
    nursery, far_end = Pipe()
    _fork(partial(_be_nursery, far_end), keep=far_end.fileno())
    far_end.close()
    handlers: Any = import_module("torch.distributed.elastic.multiprocessing.subprocess_handler.subprocess_handler")
    handlers.SubprocessHandler._popen = lambda _, command, environment: ForkedRank(nursery, command, environment)
    sys.argv = command
    import_module("torch.distributed.run").main(command[1:])


def _be_nursery(requests: Connection) -> None:
    """Fork a rank for each command and its environment, and say of each number whether its rank has ended, and how."""
    while True:
        try:
            request = requests.recv()
        except EOFError:
            return
        if isinstance(request, int):
            ended, status = os.waitpid(request, os.WNOHANG)
            requests.send(os.waitstatus_to_exitcode(status) if ended else None)
        else:
            requests.send(_fork(partial(_be_rank, *request)))


def _be_rank(command: tuple[str, ...], environment: dict[str, str]) -> None:
    _interpreter, _unbuffered, *sys.argv = command
    os.environ.update(environment)
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


def _carry_mark(mark: str) -> None:
    """Show a launch's mark in ``/proc/PID/environ``, and so in that of all processes forked from this one.

    The system shows there what stands in memory where the environment was when the interpreter started.
    """
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_void_p
    ctypes.memmove(getenv(MARK.encode()), mark.encode(), len(UNMARKED))


def _end_with_parent() -> None:
    """Have the system kill this process when its parent is gone."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _fork(program: Callable[[], object], *, keep: int = 0) -> int:
    """Fork a process that runs a program in a session of its own; return its number once it has that session."""
    ours, theirs = os.pipe()
    number = os.fork()
    if number == 0:
        try:
            _begin_anew(keep)
            _run(program)
        finally:
            os._exit(1)
    os.close(theirs)
    os.read(ours, 1)  # nothing comes, but it ends when the child has closed its end
    os.close(ours)
    return number


def _begin_anew(keep: int) -> None:
    """Leave behind what a new interpreter would not have of its parent: session, signal handlers, most open files."""
    gc.freeze()  # the parent's objects are not this process's to take down
    os.setsid()
    _end_with_parent()
    faulthandler.disable()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.closerange(3, keep)
    os.closerange(max(3, keep + 1), os.sysconf("SC_OPEN_MAX"))


def _run(program: Callable[[], object]) -> NoReturn:
    """Run a program and end as the interpreter would: exit code, traceback, threads, exit handlers, output."""
    code: Any = 0
    try:
        program()
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    if not isinstance(code, int | None):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    main()
