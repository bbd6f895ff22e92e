"""Exercise: how stale each gradient is that a server takes."""

from __future__ import annotations

from typing import Any

from grader.exercise import Exercise, Mistake
from snippets.parallelism.data.steps import server_updates


def stalenesses(
    *,
    arrivals: list[int],
) -> list[int]:
    """Return how stale each gradient is when a parameter server applies it.

    All workers read the parameters before the first update. When a worker's
    gradient arrives, the server updates the parameters with it, and the worker
    reads the new ones at once. A gradient's staleness is the number of updates
    that the server has made since its worker read the parameters, before it
    applies this gradient.

    Args:
        arrivals: the workers' numbers in the order in which their gradients
            arrive. The list may be empty.

    Returns:
        The staleness of each gradient, in the same order.

    >>> stalenesses(arrivals=[0, 0, 1])
    [0, 0, 2]
    """
    read: dict[int, int] = {}
    found = []
    for made, worker in enumerate(arrivals):
        found.append(made - read.get(worker, 0))
        read[worker] = made + 1
    return found


def by_a_server(*, arrivals: list[int]) -> list[int]:
    """Let the book's server take gradients whose times make them arrive in this order."""
    if not arrivals:
        return []
    times: list[list[float]] = [[] for _ in range(max(arrivals) + 1)]
    last = [0.0] * len(times)
    for place, worker in enumerate(arrivals, start=1):
        times[worker].append(place - last[worker])
        last[worker] = float(place)
    return [update.staleness for update in server_updates(times)]


def orders(st: Any) -> Any:
    return {"arrivals": st.lists(st.integers(0, 4), max_size=14)}


EXERCISE = Exercise(
    stalenesses,
    number=3,
    level="easy",
    asked="the staleness of each gradient that a server takes",
    expected=by_a_server,
    examples=[
        {"arrivals": [0, 0, 1]},
        {"arrivals": []},
        {"arrivals": [0, 1, 2, 0, 1, 2]},
        {"arrivals": [1, 1, 1, 0, 2, 1, 0]},
        {"arrivals": [12, 7, 12, 130, 7]},
        {"arrivals": [3, *[1] * 60, 3]},
        {"arrivals": [0, 0, 1, 0, 2, 0, 1, 0, 0, 1, 2]},
    ],
    inputs=orders,
    units={"result": "updates"},
    mistakes=[
        Mistake(
            "counts_its_own_update",
            "A worker reads after its own update: that one is in the parameters that it has read.",
            {"read[worker] = made + 1": "read[worker] = made"},
        ),
        Mistake(
            "counts_this_update",
            "Staleness counts the updates made before this gradient is applied, not this one too.",
            {"found.append(made - read.get(worker, 0))": "found.append(made + 1 - read.get(worker, 0))"},
        ),
        Mistake(
            "starts_at_zero",
            "All workers read at the start, so a worker's first gradient is as old as all updates before it.",
            {"read.get(worker, 0)": "read.get(worker, made)"},
        ),
        Mistake(
            "never_reads_again",
            "A worker reads the new parameters whenever its gradient has arrived.",
            {"read[worker] = made + 1": "pass"},
        ),
        Mistake(
            "takes_workers_less_one",
            "That is the mean in the long run; a fast worker's gradients are fresher, and a slow one's staler.",
            lambda arrivals: [len(set(arrivals)) - 1 for _ in arrivals],
        ),
        Mistake(
            "counts_other_workers",
            "Count updates, not workers: a fast worker may have made several of them.",
            lambda arrivals: [
                len(set(arrivals[max((at for at in range(made) if arrivals[at] == worker), default=-1) + 1 : made]))
                for made, worker in enumerate(arrivals)
            ],
        ),
        Mistake("is_never_stale", "This is right for a single worker only.", lambda arrivals: [0 for _ in arrivals]),
    ],
)
