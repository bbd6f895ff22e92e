"""Bounds what a text that is tried in this process may take: time of the process, and memory where that can be set."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.errors import Stopped

AGAIN_S = 0.5


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise ``Stopped`` after seconds of this process, those of the system for it included.

    It is raised again until the block ends: what is raised where Python collects garbage is lost.
    """

    def ring(*_: Any) -> None:
        raise Stopped("", "")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def at_most_more(size: int) -> Iterator[None]:
    """Let this process take at most so many bytes more than it has: what asks for more gets a ``MemoryError``.

    Only Linux says what a process has and keeps to such a limit; elsewhere there is none.
    """
    try:
        import resource

        has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
    except (ImportError, OSError):
        yield
        return
    most = min([has + size, *(limit for limit in before if limit != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
