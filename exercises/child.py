"""The child process in which an answer runs, and the process that has the graders loaded and forks one for each.

``python -m exercises.child`` reads one request a line and writes one verdict a line. For each it forks, so that a child
starts with everything imported and ends with whatever its answer did to it. ``--once`` serves one request without
forking, where there is no fork. What the limits protect against, and what not, is in ``docs/for-teachers.md``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import math
import os
import secrets
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exercises.catalogue import chapter_of
from exercises.guarded import PRINTED_CHARACTERS, Printed, grade_file
from exercises.judging import Exercise, Stopped, Verdict, drawn, judge

GRACE_S = 2.0  # for looking a mistake up when the time is over, before the child is killed


@dataclass(frozen=True)
class Limits:
    """What an answer may use: seconds of the clock, bytes of memory beyond the grader's own, characters printed."""

    time_s: float = 10.0
    memory_bytes: int = 2**30
    printed_characters: int = PRINTED_CHARACTERS


_REFUSED = {
    "os.fork": "start processes",
    "os.forkpty": "start processes",
    "os.exec": "start processes",
    "os.posix_spawn": "start processes",
    "os.spawn": "start processes",
    "os.system": "start processes",
    "subprocess.Popen": "start processes",
    "os.kill": "stop processes",
    "os.killpg": "stop processes",
    "os.remove": "change files",
    "os.rename": "change files",
    "os.rmdir": "change files",
    "os.mkdir": "change files",
    "os.truncate": "change files",
    "os.chmod": "change files",
    "os.link": "change files",
    "os.symlink": "change files",
    "socket.connect": "use the network",
    "socket.bind": "use the network",
    "socket.sendto": "use the network",
    "socket.getaddrinfo": "use the network",
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse what no answer needs; an audit hook cannot be taken away by Python code."""
    what = _REFUSED.get(event, "")
    if event == "open" and arguments[0] != os.devnull and isinstance(arguments[2], int) and arguments[2] & _WRITES:
        what = "write files"
    if what:
        raise PermissionError(f"an answer may not {what}")


def confine(limits: Limits) -> None:
    """Put this process, which will run an answer, under its limits."""
    sys.dont_write_bytecode = True
    with contextlib.suppress(ImportError):
        import resource

        used = 0
        with contextlib.suppress(OSError):
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        seconds = math.ceil(limits.time_s + GRACE_S) * 2
        wanted = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_CPU, seconds)]
        if used:  # elsewhere than on Linux there is no knowing what the process has already, nor does the limit hold
            wanted.append((resource.RLIMIT_AS, used + limits.memory_bytes))
        for kind, most in wanted:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(kind, (most, most))
    sys.addaudithook(_refuse)
    if hasattr(signal, "setitimer"):
        text = f"a result within {limits.time_s:g} s"

        def ring(_number: int, _frame: Any) -> None:
            signal.setitimer(signal.ITIMER_REAL, GRACE_S / 2)
            raise Stopped(text, "still running")

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, limits.time_s)


def in_child(work: Callable[[], Verdict], limits: Limits, asked: str) -> Verdict:
    """Fork, do the work in the child under its limits, and return its verdict, or say how the child ended."""
    token = secrets.token_bytes(16)
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.close(receiving)
            os.setsid()
            _report(work, limits, sending, token)
        os._exit(0)
    os.close(sending)
    try:
        sent, late = _receive(receiving, token, time.monotonic() + limits.time_s + GRACE_S)
    finally:
        os.close(receiving)
        _kill(child)
        _, status = os.waitpid(child, 0)
    return verdict_from(sent, token, late=late, ended=os.waitstatus_to_exitcode(status), limits=limits, asked=asked)


def _report(work: Callable[[], Verdict], limits: Limits, sending: int, token: bytes) -> None:
    """Do the work with nothing open but the pipe, and send the verdict with the token that proves it."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    printed = Printed(limits.printed_characters)
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), printed, printed
    confine(limits)
    try:
        verdict = work()
    except Stopped as stop:
        verdict = Verdict("wrong", "", "", stop.expected, stop.got)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    verdict = dataclasses.replace(verdict, printed=printed.text)
    left = token + json.dumps(dataclasses.asdict(verdict)).encode() + token
    while left:
        left = left[os.write(sending, left) :]


def _receive(receiving: int, token: bytes, until: float) -> tuple[bytes, bool]:
    """Read what a child sends, and whether its time ran out."""
    sent = b""
    while not (len(sent) > len(token) and sent.endswith(token)):
        left = until - time.monotonic()
        if left <= 0 or not select.select([receiving], [], [], left)[0]:
            return sent, True
        part = os.read(receiving, 65536)
        if not part or len(sent) > 2**20:
            break
        sent += part
    return sent, False


def _kill(child: int) -> None:
    """Kill a child and what it started."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(child, signal.SIGKILL)


def verdict_from(sent: bytes, token: bytes, *, late: bool, ended: int | None, limits: Limits, asked: str) -> Verdict:
    """Return the verdict that a child sent; without its token at both ends, say how the child ended instead."""
    if sent.startswith(token) and sent.endswith(token) and len(sent) > 2 * len(token):
        verdict = Verdict(**json.loads(sent[len(token) : -len(token)]))
        return dataclasses.replace(verdict, asked=verdict.asked or asked)
    if late:
        return Verdict("wrong", asked, "", f"a result within {limits.time_s:g} s", "still running: it was stopped")
    how = f"killed by signal {-ended}" if ended and ended < 0 else f"exit status {ended}"
    return Verdict("wrong", asked, "", "a result", f"the process ended before there was one ({how})")


def warm_up() -> None:
    """Import now what every child would import for itself: hypothesis's engine, its search and its shrinking."""
    from hypothesis import strategies as st

    examples = [{"x": 0}]
    exercise = Exercise("f", 1, "", abs, examples, lambda: st.fixed_dictionaries({"x": st.integers(-9, 9)}), hints=())  # type: ignore[arg-type]
    exercise = dataclasses.replace(exercise, expected=lambda x: abs(x))
    judge(exercise, lambda x: x, {})
    judge(exercise, lambda x: max(x, -x), {})


def _task(request: dict[str, Any]) -> tuple[Callable[[], Verdict], Limits, str]:
    chapter = chapter_of(Path(request["folder"]))
    name, path = request["name"], Path(request["answers"])
    drawn(chapter.exercises[name])
    return lambda: grade_file(chapter, name, path), Limits(**request["limits"]), chapter.exercises[name].asked


def main() -> None:
    """Serve requests until there are none."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a grader prints is no reply
    if "--once" in sys.argv:
        request = json.loads(sys.stdin.readline())
        work, limits, _ = _task(request)
        _report(work, limits, replies.fileno(), bytes.fromhex(request["token"]))
        os._exit(0)
    warm_up()
    for line in sys.stdin:
        work, limits, asked = _task(json.loads(line))

        def work_alone(work: Callable[[], Verdict] = work) -> Verdict:
            os.close(replies.fileno())  # an answer could write to it
            return work()

        replies.write(json.dumps(dataclasses.asdict(in_child(work_alone, limits, asked))) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
