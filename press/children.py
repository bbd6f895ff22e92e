"""Does work in child processes, as many at once as there are cores: a child leaves what it makes in files."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from threading import active_count

_PR_SET_PDEATHSIG = 1


def can_fork() -> bool:
    """Whether this process can be forked: macOS's own libraries do not survive it, and Windows has no fork."""
    return sys.platform == "linux" and os.environ.get("PRESS_FORK", "1") != "0"


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def end_with_parent(number: int) -> None:
    """Have Linux send this process a signal when its parent has ended."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def in_children(do: Callable[[int], object], count: int) -> None:
    """Call a function with each number below ``count``, in forked processes that end with this one.

    Nothing is done where there is one core or no fork, or where other threads run, as under ``mkdocs serve``: a lock
    that one of them holds would never be free in a child. A child that ends early leaves its number undone. What is not
    in the files afterwards, the caller makes itself.
    """
    processes = min(cores(), count)
    if processes < 2 or active_count() > 1 or not can_fork():
        return
    taking, giving = os.pipe()  # a pipe has room for 16,000 numbers, and gives each to one child
    os.write(giving, b"".join(number.to_bytes(4, "big") for number in range(count)))
    os.close(giving)
    parent = os.getpid()

    def work() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the parent, which ends its children
        end_with_parent(signal.SIGKILL)
        while os.getppid() == parent and (number := os.read(taking, 4)):
            do(int.from_bytes(number, "big"))

    children = [multiprocessing.get_context("fork").Process(target=work, daemon=True) for _ in range(processes)]
    try:
        for child in children:
            child.start()
        for child in children:
            child.join()
    finally:
        os.close(taking)
        for child in children:
            if child.is_alive():
                child.kill()
                child.join()
