"""Simulators: queues of a loader in which batches move one by one, event after event, and are counted.

Nothing here uses the clock or the closed forms of ``snippets.foundations.data_pipeline.formulas``: they are proved by
it.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from snippets.domain import at_most, each, nonnegative_integer, positive_integer, positive_number

LONGEST_S = 1e12  # of one batch or step: what lasts longer is a slip


def _duration_s(name: str, value: float) -> float:
    """Return a time of a batch or a step, or raise ``ValueError``."""
    duration_s = positive_number(name, value)
    if not 1 / LONGEST_S <= duration_s <= LONGEST_S:
        raise ValueError(f"{name} must be from {1 / LONGEST_S:g} to {LONGEST_S:g} s, got {value!r}")
    return duration_s


@dataclass(frozen=True)
class Delivered:
    """What came out of a queue: when each batch was taken, how often the GPU waited, and two averages over time.

    >>> Delivered((0.0, 2.0), 0.5, 3.0, 6.0).batches
    2
    """

    takes_s: tuple[float, ...]
    busy_share: float
    mean_in_making: float
    mean_making_s: float

    @property
    def batches(self) -> int:
        """How many were taken."""
        return len(self.takes_s)


def ordered_loader(batches_s: Sequence[float], *, step_s: float, workers: int, prefetch_factor: int = 2) -> Delivered:
    """Run a loader whose workers have queues of their own and whose batches leave in their order.

    Args:
        batches_s: seconds that each batch takes its worker.
        step_s: seconds that the GPU takes for a batch.
        workers: processes that each make one batch at a time; requests go to them in turn.
        prefetch_factor: requests that may be open, for each worker.

    Returns:
        What came out.

    Example:
        >>> ordered_loader([4, 4, 4, 4], step_s=1, workers=2).takes_s
        (4.0, 5.0, 8.0, 9.0)
    """
    times = each("batches_s", batches_s, _duration_s)
    step = _duration_s("step_s", step_s)
    count = at_most("workers", positive_integer("workers", workers))
    open_requests = count * at_most("prefetch_factor", positive_integer("prefetch_factor", prefetch_factor))
    requests: list[deque[int]] = [deque() for _ in range(min(count, len(times)) or 1)]
    working: set[int] = set()
    events: list[tuple[float, int, int]] = []  # moment, batch (-1: the GPU is free), worker
    done: set[int] = set()
    takes: list[float] = []
    making_s, asked, gpu_free, now = 0.0, 0, True, 0.0
    while len(takes) < len(times):
        while asked < len(times) and asked < len(takes) + open_requests:
            requests[asked % count].append(asked)
            asked += 1
        for worker, queue in enumerate(requests):
            if queue and worker not in working:
                batch = queue.popleft()
                working.add(worker)
                making_s += times[batch]
                heapq.heappush(events, (now + times[batch], batch, worker))
        if gpu_free and len(takes) in done:
            done.remove(len(takes))
            takes.append(now)
            gpu_free = False
            heapq.heappush(events, (now + step, -1, -1))
            continue
        now, batch, worker = heapq.heappop(events)
        if batch < 0:
            gpu_free = True
        else:
            working.remove(worker)
            done.add(batch)
    if not takes:
        raise ValueError("batches_s must hold at least one time, got none")
    end = takes[-1] + step
    return Delivered(tuple(takes), len(takes) * step / (end - takes[0]), making_s / end, making_s / len(takes))


def unordered_loader(batches_s: Sequence[float], *, step_s: float, workers: int, prefetch_factor: int = 2) -> Delivered:
    """Run a loader that hands out whatever batch is finished first, as PyTorch's does with ``in_order=False``.

    Requests go in turn to the next worker that has fewer than its share open. Batches leave as they are finished, so
    ``takes_s`` is by order of leaving.

    Args:
        batches_s: seconds that each batch takes its worker.
        step_s: seconds that the GPU takes for a batch.
        workers: processes that each make one batch at a time.
        prefetch_factor: requests that a worker may have open: asked for and not yet taken.

    Returns:
        What came out.

    Example:
        >>> unordered_loader([4, 1, 1, 1], step_s=1, workers=2).takes_s
        (1.0, 2.0, 4.0, 5.0)
    """
    times = each("batches_s", batches_s, _duration_s)
    step = _duration_s("step_s", step_s)
    count = at_most("workers", positive_integer("workers", workers))
    share = at_most("prefetch_factor", positive_integer("prefetch_factor", prefetch_factor))
    if not times:
        raise ValueError("batches_s must hold at least one time, got none")
    requests: list[deque[int]] = [deque() for _ in range(count)]
    still_open = [0] * count
    working: set[int] = set()
    events: list[tuple[float, int, int]] = []  # moment, batch (-1: the GPU is free), worker
    finished: deque[int] = deque()  # the workers whose batches wait, the first to finish first
    takes: list[float] = []
    making_s, asked, turn, gpu_free, now = 0.0, 0, 0, True, 0.0
    while len(takes) < len(times):
        while asked < len(times) and sum(still_open) < count * share:
            turn = next(w % count for w in range(turn, turn + count) if still_open[w % count] < share)
            requests[turn].append(asked)
            still_open[turn] += 1
            asked, turn = asked + 1, turn + 1
        for worker, queue in enumerate(requests):
            if queue and worker not in working:
                batch = queue.popleft()
                working.add(worker)
                making_s += times[batch]
                heapq.heappush(events, (now + times[batch], batch, worker))
        if gpu_free and finished:
            still_open[finished.popleft()] -= 1
            takes.append(now)
            gpu_free = False
            heapq.heappush(events, (now + step, -1, -1))
            continue
        now, batch, worker = heapq.heappop(events)
        if batch < 0:
            gpu_free = True
        else:
            working.remove(worker)
            finished.append(worker)
    end = takes[-1] + step
    return Delivered(tuple(takes), len(takes) * step / (end - takes[0]), making_s / end, making_s / len(takes))


def shared_queue(
    *, workers: int, outstanding: int, batch_s: float, step_s: float, batches: int, seed: int = 0
) -> Delivered:
    """Run a loader in which any free worker takes the next request and any finished batch may leave, by chance times.

    Args:
        workers: processes that each make one batch at a time.
        outstanding: requests that may be open, those in the making and those finished.
        batch_s: mean of the exponential time of a batch.
        step_s: mean of the exponential time of a step.
        batches: how many to take, at most 2²⁰.
        seed: of the random numbers, at least 0.

    Returns:
        What came out.

    Example:
        >>> round(shared_queue(workers=1, outstanding=1, batch_s=1, step_s=1, batches=20000).busy_share, 1)
        0.7
    """
    w, K = positive_integer("workers", workers), positive_integer("outstanding", outstanding)
    mean_batch, mean_step = _duration_s("batch_s", batch_s), _duration_s("step_s", step_s)
    count = at_most("batches", positive_integer("batches", batches))
    source = random.Random(nonnegative_integer("seed", seed))
    making: list[float] = []  # moments at which batches will be finished
    ready, now, gpu_ends, busy_s, making_s, made_s = 0, 0.0, -1.0, 0.0, 0.0, 0.0
    takes: list[float] = []
    while len(takes) < count:
        while len(making) < w and len(making) + ready < K:
            takes_it = source.expovariate(1.0) * mean_batch
            made_s += takes_it
            heapq.heappush(making, now + takes_it)
        if gpu_ends < 0 and ready:
            ready -= 1
            takes.append(now)
            gpu_ends = now + source.expovariate(1.0) * mean_step
            busy_s += gpu_ends - now
            continue
        following = min([gpu_ends] * (gpu_ends >= 0) + making[:1])
        making_s += (following - now) * len(making)
        now = following
        if making and making[0] == now:
            heapq.heappop(making)
            ready += 1
        else:
            gpu_ends = -1.0
    end = max(now, gpu_ends)
    return Delivered(tuple(takes), busy_s / end, making_s / end, made_s / (len(takes) + ready + len(making)))


def shuffled(stream: Sequence[int], *, slots: int, seed: int = 0) -> list[int]:
    """Pass a stream through a shuffle buffer: draw one of the slots, put the stream's next example into it.

    Args:
        stream: the examples as they lie in the files.
        slots: examples that the buffer holds.
        seed: of the draws, at least 0.

    Returns:
        All examples, in the order in which they leave; at the end the buffer is emptied by chance.

    Example:
        >>> sorted(shuffled(range(10), slots=4)) == list(range(10))
        True
    """
    source = random.Random(nonnegative_integer("seed", seed))
    count = positive_integer("slots", slots)
    given = each("stream", stream, nonnegative_integer)
    buffer, out = list(given[:count]), []
    for example in given[count:]:
        slot = source.randrange(len(buffer))
        out.append(buffer[slot])
        buffer[slot] = example
    source.shuffle(buffer)
    return out + buffer
