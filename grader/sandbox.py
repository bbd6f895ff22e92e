"""Where answers run: a warm process that forks one for each, or, without fork, a new process for each.

The judge is in this process, with the exercise, its oracle and its mistakes. An answer's process is ended with all that
it has started, whatever state it is in; and what it might have done to the limits of this process or of the warm one is
looked for, undone and said.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.answering import fork, modules_to_load
from grader.confining import ROOT, Limits
from grader.errors import describe_error
from grader.exercise import Exercise
from grader.judging import Stopped, Verdict, judge
from grader.proxy import Allowance, AnswerProxy, CannotBeLoaded, OnRanks
from grader.timing import at_most

START_S = 60.0  # a new process imports NumPy before it serves
JUDGING_S = 60.0  # what the judge may take beside the answer, whatever that has returned
CHANGED = "the limits of the grader's processes are changed: they are set again"


class Sandbox:
    """Runs answers, one after another; use one for each thread."""

    def __init__(self, limits: Limits | None = None, *, fork: bool = hasattr(os, "fork")) -> None:
        self.limits = limits or Limits()
        self._fork = fork
        self._template: _Template | None = None
        self._own_limits = _limits_of(0)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def judge(self, exercise: Exercise, text: str, file: str) -> Verdict:
        """Judge the function that a text has for an exercise; ``file`` is what the text is called."""
        asked = exercise.asked
        allowance = Allowance(self.limits)
        start = functools.partial(self._loaded, allowance, text, exercise.name, file)
        try:
            with for_exercise(exercise, start) as answer:
                verdict = judged(exercise, answer, self.limits)
        except _NotThere:
            verdict = Verdict("open", asked)
        except CannotBeLoaded as error:
            given = f"import of {file}"
            verdict = Verdict("wrong", asked, given, error.expected, error.got, trace=error.trace)
        if self._mended():
            verdict = Verdict("wrong", asked, "", "limits as they were", CHANGED)
        return dataclasses.replace(verdict, printed=allowance.printed)

    def answer(self, text: str, name: str, file: str = "answer.py") -> AnswerProxy:
        """Return the function of a name that a text defines; ``close`` it in the end.

        Raises:
            CannotBeLoaded: there is none.
        """
        return self._loaded(Allowance(self.limits), text, name, file)

    def _loaded(self, allowance: Allowance, text: str, name: str, file: str) -> AnswerProxy:
        """Return the function of a name in a process of its own."""
        answer = self._started(allowance, text)
        try:
            if not answer.load(text, name, file):
                raise _NotThere(f"a function {name}", "none of that name")
        except BaseException:
            answer.close()
            raise
        return answer

    def _started(self, allowance: Allowance, text: str) -> AnswerProxy:
        modules = modules_to_load(text)
        if not self._fork:
            return _spawned(allowance, modules)
        if self._template is not None:
            with contextlib.suppress(OSError, ValueError):
                return self._template.started(allowance, modules)
            self.close()  # somebody has ended or stopped it
        self._template = _Template()
        return self._template.started(allowance, modules)

    def _mended(self) -> bool:
        """Say whether limits of this process or of the warm one were changed; if so, undo it."""
        template = self._template
        changed = _limits_of(0) != self._own_limits
        if changed:
            import resource

            for kind, limits in self._own_limits.items():
                with contextlib.suppress(ValueError, OSError):
                    resource.setrlimit(kind, limits)
            self._own_limits = _limits_of(0)
        if template is not None and _limits_of(template.process.pid) != template.limits:
            changed = True
            self.close()
        return changed

    def close(self) -> None:
        """End the warm process."""
        if self._template is not None:
            self._template.close()
            self._template = None


class _NotThere(CannotBeLoaded):
    """A text has nothing of the exercise's name."""


def for_exercise(exercise: Exercise, start: Callable[[], AnswerProxy]) -> AnswerProxy | OnRanks:
    """Return the answer to an exercise; of a rank program, each rank's is in a process of its own.

    Args:
        exercise: which one.
        start: returns the answer in one more process.
    """
    return OnRanks(start) if inspect.isgeneratorfunction(exercise.solution) else start()


def judged(exercise: Exercise, answer: Callable[..., Any], limits: Limits) -> Verdict:
    """Judge, and let what the answer returned neither raise in the judge nor keep it busy."""
    try:
        most_s = limits.time_s + JUDGING_S
        with at_most(most_s, Stopped(f"a result that is judged within {most_s:g} s", "one that takes longer")):
            return judge(exercise, answer)
    except Stopped as stop:
        return Verdict("wrong", exercise.asked, "", stop.expected, stop.got)
    except Exception as error:
        return Verdict("wrong", exercise.asked, "", "a result that can be compared", describe_error(error, ""))


class _Template:
    """The warm process, at the other end of a socket."""

    def __init__(self) -> None:
        self._control, other = socket.socketpair()
        self._control.settimeout(START_S)
        with other:
            self.process = subprocess.Popen(
                _COMMAND, stdin=other.fileno(), stdout=subprocess.DEVNULL, env=_environment(), start_new_session=True
            )
        self.limits = _limits_of(self.process.pid)

    def started(self, allowance: Allowance, modules: tuple[str, ...]) -> AnswerProxy:
        ours, theirs = socket.socketpair()
        with theirs:
            child = self._asked([dataclasses.asdict(allowance.limits), modules], [theirs.fileno()])
        return AnswerProxy(ours, allowance, child, _once(lambda: self._end(child, ours)))

    def _end(self, child: int, connection: socket.socket) -> str:
        kill_session(child)
        connection.close()
        try:
            return _how(self._asked([child], []))
        except (OSError, ValueError):
            self.close()
            return "and with it the process that had started it"

    def _asked(self, request: list[Any], descriptors: list[int]) -> int:
        socket.send_fds(self._control, [json.dumps(request).encode()], descriptors)
        number: int = json.loads(self._control.recv(100))
        return number

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._control.close()


def _spawned(allowance: Allowance, modules: tuple[str, ...]) -> AnswerProxy:
    """Start a process of its own, which connects to this one and proves by a token that it is the one."""
    token = secrets.token_hex(16)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(START_S)
        command = [*_COMMAND, "--once", str(server.getsockname()[1])]
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=_environment(), start_new_session=True
        )
        assert child.stdin
        child.stdin.write(json.dumps([token, dataclasses.asdict(allowance.limits), modules]).encode() + b"\n")
        child.stdin.close()
        connection, _ = server.accept()
        while connection.recv(16, socket.MSG_WAITALL) != bytes.fromhex(token):
            connection, _ = server.accept()

    def end() -> str:
        kill_session(child.pid)
        child.kill()
        connection.close()
        return _how(child.wait())

    return AnswerProxy(connection, allowance, child.pid, _once(end))


def forked(function: Callable[..., Any], allowance: Allowance) -> AnswerProxy:
    """Return a function of this process as one in a fork of it."""
    ours, theirs = socket.socketpair()
    with theirs, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the kernel's threads, which the fork does not need
        child = fork(theirs, allowance.limits, function)

    def end() -> str:
        kill_session(child)
        ours.close()
        return _how(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    return AnswerProxy(ours, allowance, child, _once(end))


def _once(end: Callable[[], str]) -> Callable[[], str]:
    """Return what ends a process the first time and says how it ended every time."""
    said: list[str] = []

    def end_once() -> str:
        if not said:
            said.append(end())
        return said[0]

    return end_once


def _how(status: int) -> str:
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def kill_session(leader: int) -> None:
    """Kill a process that has not been waited for yet, stopped or not, and what it has started."""
    if not hasattr(os, "killpg"):
        return
    for member in [leader, *_members(leader)]:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(member, signal.SIGKILL)


def _members(session: int) -> Iterator[int]:
    """Yield the processes of a session, where Linux tells."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int(path.read_text().rpartition(")")[2].split()[3]) == session:
                yield int(path.parent.name)


def _limits_of(process: int) -> dict[int, tuple[int, int]]:
    """Return the limits of a process, where Linux tells; 0 is this one."""
    try:
        import resource

        kinds = {value for name, value in vars(resource).items() if name.startswith("RLIMIT_")}
        return {kind: resource.prlimit(process, kind) for kind in sorted(kinds)}
    except (ImportError, AttributeError, OSError):
        return {}


_COMMAND = [sys.executable, "-P", "-m", "grader.answering"]
_PASSED_ON = ("PATH", "SYSTEMROOT", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONHOME")


def _environment() -> dict[str, str]:
    """Nothing that is none of an answer's business; one thread for NumPy's products, as a fork keeps no other."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**passed_on, **threads, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
