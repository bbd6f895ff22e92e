"""Simulators: times copies, sums and matrix products on one core, and prints them as JSON; ``cpu_roofline`` starts it.

It is a process of its own because a linear algebra library reads how many threads it may have when it is loaded.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIDES = (16, 32, 64, 128, 256, 512, 1024, 2048)
BATCHES = (1, 4, 16, 64, 256, 1024)
LAYER = 4096
LENGTH = 2**25  # numbers in a long array: 134 MB, more than most caches hold
NUMBER_BYTES = 4
LEAST_S = 0.005  # of one timing: short operations are repeated until they last so long


def _timed(action: Callable[[], Any], repeats: int) -> list[float]:
    """Return the seconds that an action takes, several times.

    Args:
        action: what is timed.
        repeats: how often.

    >>> len(_timed(lambda: None, 3))
    3
    """
    action()
    start = time.perf_counter()
    action()
    calls = max(1, round(LEAST_S / max(time.perf_counter() - start, 1e-9)))
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            action()
        seconds.append((time.perf_counter() - start) / calls)
    return seconds


def _operations(length: int, sides: tuple[int, ...], batches: tuple[int, ...], layer: int) -> list[dict[str, Any]]:
    """Return what is timed: name, kind, operations, bytes that are read or written at least, and the action.

    Args:
        length: numbers of the long arrays.
        sides: of the square products.
        batches: rows of the products with a layer's weights.
        layer: rows and columns of these weights.

    >>> [entry["name"] for entry in _operations(8, (2,), (1,), 4)]
    ['copy', 'a + b', 'a · b', '2 × 2 × 2', '1 × 4 × 4']
    """
    long, other, out = (np.full(length, value, np.float32) for value in (1.0, 2.0, 0.0))
    size = length * NUMBER_BYTES

    def entry(name: str, kind: str, flops: int, memory_bytes: int, action: Callable[[], Any]) -> dict[str, Any]:
        return {"name": name, "kind": kind, "flops": flops, "memory_bytes": memory_bytes, "action": action}

    found = [
        entry("copy", "copy", 0, 2 * size, lambda: np.copyto(out, long)),
        entry("a + b", "element-wise", length, 3 * size, lambda: np.add(long, other, out=out)),
        entry("a · b", "element-wise", 2 * length, 2 * size, lambda: np.dot(long, other)),
    ]
    shapes = [(side, side, side, "square") for side in sides] + [(rows, layer, layer, "layer") for rows in batches]
    for m, k, n, kind in shapes:
        a, b = np.full((m, k), 0.5, np.float32), np.full((k, n), 0.5, np.float32)
        c = np.empty((m, n), np.float32)
        words = m * k + k * n + m * n
        found.append(
            entry(
                f"{m} × {k} × {n}",
                kind,
                2 * m * k * n,
                words * NUMBER_BYTES,
                lambda a=a, b=b, c=c: np.matmul(a, b, out=c),  # type: ignore[misc]
            )
        )
    return found


def _main(arguments: list[str]) -> None:
    """Time everything and print the points as JSON; sizes may be given as JSON, for tests."""
    given = json.loads(arguments[0]) if arguments else {}
    todo = _operations(
        given.get("length", LENGTH),
        tuple(given.get("sides", SIDES)),
        tuple(given.get("batches", BATCHES)),
        given.get("layer", LAYER),
    )
    for entry in todo:
        entry["times_s"] = _timed(entry.pop("action"), given.get("repeats", 9))
    sys.stdout.write(json.dumps(todo))


if __name__ == "__main__":
    _main(sys.argv[1:])
