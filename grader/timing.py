"""Ends what takes the judge too long."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def at_most(seconds: float, error: BaseException) -> Iterator[None]:
    """Raise an error here when so many seconds are over; in other threads than the first, nothing keeps the time.

    A limit around this one goes on meanwhile, and is met at the end of this one at the latest.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(_number: int, _frame: Any) -> None:
        raise error

    before, began = signal.signal(signal.SIGALRM, ring), time.monotonic()
    outer_s, _ = signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer_s:
            signal.setitimer(signal.ITIMER_REAL, max(outer_s - (time.monotonic() - began), 0.001))
