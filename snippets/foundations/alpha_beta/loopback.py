"""Simulators: message times between two processes of one machine, measured now or read from a recorded measurement."""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from snippets.domain import at_most, each, nonnegative_integer, positive_integer, positive_number
from snippets.foundations.alpha_beta.loopback_echo import HEADER, receive_exactly
from snippets.foundations.recorded_run import Measurement

RECORDED = Path(__file__).with_name("loopback_recorded.json")
MOST_BYTES = 2**30
LEAST_WAIT_S, MOST_WAIT_S = 1, 86_400
SIZES_BYTES = tuple(4**power for power in range(13))


class Loopback(Measurement):
    """One-way message times: half a round trip each. Sizes are those of the messages, in bytes.

    Example:
        >>> Loopback("a machine", "2026-01-01", (1, 1000), ((3e-6, 1e-6, 2e-6), (4e-6, 5e-6, 9e-6))).sizes_bytes
        (1, 1000)
    """

    sizes_name = "sizes_bytes"
    unit = "tenths_of_us"

    @property
    def sizes_bytes(self) -> tuple[int, ...]:
        """The sizes, which are of bytes."""
        return self.sizes

    @property
    def spreads_s(self) -> tuple[float, ...]:
        """For each size how far apart the quartiles of its times lie."""
        return tuple(_quartile_distance(times) for times in self.times_s)


def measure_loopback(
    *, sizes_bytes: Sequence[int] = SIZES_BYTES, messages: int = 40, timeout_s: float = 30.0
) -> Loopback:
    """Send messages to a second process and back over the loopback interface, and time each round trip.

    Args:
        sizes_bytes: sizes of the messages, at most 1 GiB; each is measured after the one before.
        messages: how many of each size are timed, after a tenth as many (at least 2) that are not; at most 2²⁰.
        timeout_s: longest wait for the other process, from 1 second to a day.

    Returns:
        Half of every round trip. A second run gives other numbers: it measures your machine, with all else that it
        does at the time.

    Raises:
        ValueError: if a size is no integer of at least 0, there is none, or another number is out of its range.
        OSError: if the machine has no loopback interface, or the other process does not answer in time.

    Convention: TCP, without Nagle's delay. The receiver takes in the whole message before it answers. An announcement
        of 8 bytes travels ahead of each message.
    Leaves out: which core each process runs on; the operating system decides.

    Example:
        >>> result = measure_loopback(sizes_bytes=[1, 1024], messages=3)
        >>> result.sizes_bytes, [len(times) for times in result.times_s]
        ((1, 1024), [3, 3])
    """
    sizes = each("sizes_bytes", sizes_bytes, nonnegative_integer)
    if not sizes:
        raise ValueError(f"sizes_bytes must hold at least one size, got {sizes_bytes!r}")
    at_most("sizes_bytes", max(sizes), MOST_BYTES)
    messages, timeout_s = positive_integer("messages", messages), positive_number("timeout_s", timeout_s)
    at_most("messages", messages)
    if not LEAST_WAIT_S <= timeout_s <= MOST_WAIT_S:
        raise ValueError(f"timeout_s must be from {LEAST_WAIT_S} to {MOST_WAIT_S}, got {timeout_s!r}")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(timeout_s)
        port = server.getsockname()[1]
        echo = subprocess.Popen([sys.executable, str(Path(__file__).with_name("loopback_echo.py")), str(port)])
        try:
            link, _ = server.accept()
            with link:
                link.settimeout(timeout_s)
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                times = tuple(_one_way_times(link, size, messages) for size in sizes)
            echo.wait(timeout_s)
        finally:
            if echo.poll() is None:
                echo.kill()
                echo.wait()
    return Loopback.of_now(sizes, times)


def recorded_loopback(path: Path = RECORDED) -> Loopback:
    """Return a measurement that was made once and kept, so that everyone computes with the same numbers.

    Args:
        path: a file that ``Loopback.write`` wrote; by default the book's own.

    Returns:
        The measurement.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it holds no JSON.

    Example:
        >>> recorded_loopback().sizes_bytes[:3]
        (1, 4, 16)
    """
    return Loopback.read(path)


def _one_way_times(link: socket.socket, size: int, messages: int) -> tuple[float, ...]:
    parcel = HEADER.pack(size) + bytes(size)
    answer = bytearray(size)
    times = []
    for _ in range(messages + max(2, messages // 10)):
        start = time.perf_counter()
        link.sendall(parcel)
        if not receive_exactly(link, answer):
            raise ConnectionError("the other process hung up")
        times.append((time.perf_counter() - start) / 2)
    return tuple(times[-messages:])


def _quartile_distance(times: Sequence[float]) -> float:
    if len(times) < 2:
        return 0.0
    low, _, high = statistics.quantiles(times, n=4, method="inclusive")
    return high - low
