"""Does work in child processes beside this one: a child leaves what it makes in files."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import active_count

PATIENCE_S = 5  # with a child that is asked to end
NICE = 10  # of what runs beside the kernels, which go first

_PR_SET_PDEATHSIG = 1
_COLLECTED_AFTER = 100_000  # objects; Python's 700 cost a tenth of the time that pages take, and save 15 MB


class Stopped(SystemExit):
    """This process is to end, for a signal asked it to."""


def stop_by_exception() -> None:
    """Let SIGTERM and SIGHUP end this process as Ctrl+C does, by an exception, so that it removes what it has begun.

    One that is ignored, as under ``nohup``, or handled already stays so. The exit status is 128 + the signal's number.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stopped)


def stopped(number: int, _: object) -> None:
    """Handle a signal: end this process by an exception."""
    raise Stopped(128 + number)


def can_fork() -> bool:
    """Whether this process can be forked: macOS's own libraries do not survive it, and Windows has no fork."""
    return sys.platform == "linux" and os.environ.get("PRESS_FORK", "1") != "0"


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def end_with_parent(number: int) -> None:
    """Have Linux send this process a signal when its parent has ended."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def _belong() -> None:
    """Let this child end with its parent, whom alone Ctrl+C is to reach."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(signal.SIGKILL)


@contextmanager
def beside(do: Callable[[], object]) -> Iterator[None]:
    """Call a function in a forked process of low priority while a block runs, and wait for it at the block's end.

    As with ``in_children`` nothing is done where there is one core or no fork or where other threads run, and what is
    not in the files afterwards, because the function failed, the caller makes itself.
    """
    if cores() < 2 or active_count() > 1 or not can_fork():
        yield
        return

    def work() -> None:
        _belong()
        os.nice(NICE)
        with suppress(Exception, SystemExit):
            do()

    child = multiprocessing.get_context("fork").Process(target=work, daemon=True)
    try:
        child.start()
        yield
        child.join()
    finally:
        if child.is_alive():
            child.kill()
            child.join()


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
        _belong()
        gc.set_threshold(_COLLECTED_AFTER)
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
            child.terminate()  # it removes its own folder
        for child in children:
            child.join(PATIENCE_S)
            if child.is_alive():
                child.kill()
                child.join()
