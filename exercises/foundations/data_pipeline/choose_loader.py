"""Exercise: workers and prefetch factor of a loader, chosen for the fewest cores within memory and a deadline."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.foundations.data_pipeline.simulators import ordered_loader

PAIR, MEMORY, END, CORES = "pair of whole numbers from 1 up", "batches in memory", "the run", "cores"


def choose_loader(
    batches_s: Sequence[float],
    *,
    step_s: float,
    slots: int,
    deadline_s: float,
) -> tuple[int, int]:
    """Choose a loader that uses few cores and ends in time.

    Batch i goes to worker i mod w, which makes one batch at a time, in the
    order in which they are asked for. Batches are taken in their order, by a
    GPU that takes step_s for each. Batch i is asked for when batch i - w * f
    is taken; the first w * f are asked for at 0, when the clock starts. The
    first step begins when batch 0 is made. Some loader is always in time.

    Args:
        batches_s: seconds that each batch takes its worker.
        step_s: seconds that the GPU takes for a batch.
        slots: batches that host memory holds: w * f must not be more.
        deadline_s: the last step must have ended by then.

    Returns:
        Workers w and prefetch factor f: in memory, in time, and with the
        fewest workers with which that can be done at all. Each such pair is
        right; in the example (2, 1) is, too.

    >>> choose_loader([4.0] * 4, step_s=1.0, slots=4, deadline_s=10.0)
    (2, 2)
    """

    def end_s(w: int, f: int) -> float:
        ends: list[float] = []
        takes: list[float] = []
        free = 0.0
        for i, time in enumerate(batches_s):
            asked = takes[i - w * f] if i >= w * f else 0.0
            begun = max(asked, ends[i - w] if i >= w else 0.0)
            ends.append(begun + time)
            takes.append(max(ends[i], free))
            free = takes[i] + step_s
        return free

    for w in range(1, slots + 1):
        f = slots // w
        if end_s(w, f) <= deadline_s:
            return w, f
    raise ValueError("no loader ends in time")


@cache
def simulated_end_s(times: tuple[float, ...], step_s: float, w: int, f: int) -> float:
    """Move the batches through queues, event by event, and see when the last step ends."""
    return ordered_loader(times, step_s=step_s, workers=w, prefetch_factor=f).takes_s[-1] + step_s


@cache
def fewest(times: tuple[float, ...], step_s: float, slots: int, deadline_s: float) -> int:
    """Try every pair, the fewest workers first; return the workers of the first that is in time."""
    for w in range(1, slots + 1):
        for f in range(1, slots // w + 1):
            if simulated_end_s(times, step_s, w, f) <= deadline_s * (1 + 1e-9):
                return w
    raise ValueError("no loader ends in time")


def wanted(batches_s: Sequence[float], *, step_s: float, slots: int, deadline_s: float) -> Observation:
    w = fewest(tuple(batches_s), step_s, slots, deadline_s)
    return {
        PAIR: "workers and prefetch factor",
        MEMORY: f"at most {slots}",
        END: f"ends by {deadline_s:g} s",
        CORES: f"the fewest: {w}",
    }


def observe(
    function: Callable[..., Any], *, batches_s: Sequence[float], step_s: float, slots: int, deadline_s: float
) -> Observation:
    """Run the loader that was chosen: any that keeps the limits with the fewest workers is right."""
    limits: dict[str, Any] = {"step_s": step_s, "slots": slots, "deadline_s": deadline_s}
    right = wanted(batches_s, **limits)
    w, f = function(batches_s=batches_s, **limits)
    if w < 1 or f < 1 or w % 1 or f % 1:
        return {**right, PAIR: f"({w}, {f})"}
    if w * f > slots:
        return {**right, MEMORY: f"{w} × {f} = {w * f}"}
    end = simulated_end_s(tuple(batches_s), step_s, int(w), int(f))
    if end > deadline_s * (1 + 1e-9):
        workers = f"{w} worker{'s' * (w > 1)}"
        return {**right, END: f"ends at {end:g} s, {end - deadline_s:.3g} s late, with {workers} and a factor of {f}"}
    least = fewest(tuple(batches_s), step_s, slots, deadline_s)
    return {**right, CORES: f"{w}, {w - least} too many"} if w > least else right


def loader(batches_s: list[float], step_s: float, slots: int, deadline_s: float) -> Inputs:
    return {"batches_s": batches_s, "step_s": step_s, "slots": slots, "deadline_s": deadline_s}


def slow_at(*places: int, count: int = 60, fast_s: float = 0.75, slow_s: float = 2.5) -> list[float]:
    """Return the times of batches of which some are slow."""
    return [slow_s if number in places else fast_s for number in range(count)]


QUESTION = slow_at(3, 9, 10, 21, 34, 47)


def littles(batches_s: Sequence[float], *, step_s: float, slots: int, deadline_s: float) -> tuple[int, int]:
    w = min(slots, max(1, math.ceil(sum(batches_s) / len(batches_s) / step_s - 1e-9)))
    return w, slots // w


def from_littles(batches_s: Sequence[float], *, step_s: float, slots: int, deadline_s: float) -> tuple[int, int]:
    w = littles(batches_s, step_s=step_s, slots=slots, deadline_s=deadline_s)[0]
    while w < slots and simulated_end_s(tuple(batches_s), step_s, w, slots // w) > deadline_s:
        w += 1
    return w, slots // w


def halved(batches_s: Sequence[float], *, step_s: float, slots: int, deadline_s: float) -> tuple[int, int]:
    low, high = 1, slots
    while low < high:
        w = (low + high) // 2
        late = simulated_end_s(tuple(batches_s), step_s, w, slots // w) > deadline_s
        low, high = (w + 1, high) if late else (low, w)
    return low, slots // low


def for_the_slowest(batches_s: Sequence[float], *, step_s: float, slots: int, deadline_s: float) -> tuple[int, int]:
    w = min(slots, max(1, math.ceil(max(batches_s) / step_s - 1e-9)))
    return w, slots // w


def for_a_lone_slow_one(batches_s: Sequence[float], *, step_s: float, slots: int, deadline_s: float) -> tuple[int, int]:
    return max(1, math.ceil(math.ceil(max(batches_s) / step_s - 1e-9) / 2)), 2


def by_the_default_factor(chosen: tuple[int, int], *, slots: int, **limits: Any) -> bool:
    """Say whether the workers are the fewest that a factor of 2 allows, with its memory counted or not."""
    times, step_s, deadline_s = tuple(limits["batches_s"]), limits["step_s"], limits["deadline_s"]
    least = next((w for w in range(1, slots + 1) if simulated_end_s(times, step_s, w, 2) <= deadline_s), None)
    return chosen[1] == 2 and (least is None or chosen[0] in (least, min(least, max(1, slots // 2))))


def fewest_slots(batches_s: Sequence[float], *, step_s: float, slots: int, deadline_s: float) -> tuple[int, int]:
    pairs = [(w, f) for w in range(1, slots + 1) for f in range(1, slots // w + 1)]
    times = tuple(batches_s)
    in_time = [pair for pair in pairs if simulated_end_s(times, step_s, *pair) <= deadline_s]
    return min(in_time, key=lambda pair: (pair[0] * pair[1], pair))


def without_the_last_step(times: tuple[float, ...], step_s: float, w: int, f: int) -> float:
    return simulated_end_s(times, step_s, w, f) - step_s


def from_the_first_take(times: tuple[float, ...], step_s: float, w: int, f: int) -> float:
    return simulated_end_s(times, step_s, w, f) - times[0]


@cache
def with_one_asked_too_early(times: tuple[float, ...], step_s: float, w: int, f: int) -> float:
    made: list[float] = []
    taken: list[float] = []
    for i, time in enumerate(times):
        asked = taken[i - w * f - 1] if i > w * f else 0.0
        made.append(max(asked, made[i - w] if i >= w else 0.0) + time)
        taken.append(max(made[i], taken[-1] + step_s if taken else 0.0))
    return taken[-1] + step_s


def by_rule(
    end_s: Callable[[tuple[float, ...], float, int, int], float] = simulated_end_s,
    *,
    held: Callable[[int, int], int] = lambda w, f: w * f,
    below: bool = False,
    swapped: bool = False,
) -> Callable[..., bool]:
    """Return what judges a loader by another rule: what a run takes, what memory holds, whether limits may be met."""

    def accepts(
        chosen: tuple[int, int], *, batches_s: Sequence[float], step_s: float, slots: int, deadline_s: float
    ) -> bool:
        def in_time(w: int, f: int) -> bool:
            end = end_s(tuple(batches_s), step_s, w, f)
            return end < deadline_s if below else end <= deadline_s * (1 + 1e-9)

        w, f = reversed(chosen) if swapped else chosen
        pairs = [(a, b) for a in range(1, slots + 1) for b in range(1, slots + 1) if held(a, b) <= slots]
        least = next((a for a, b in pairs if in_time(a, b)), None)
        return least is None or (w == least and (w, f) in pairs and in_time(w, f))

    return accepts


def workers_of(loader: Callable[..., tuple[int, int]]) -> Callable[..., bool]:
    """Return what judges by the workers alone that a rule gives."""
    return lambda chosen, **inputs: chosen[0] == loader(**inputs)[0]


def taught() -> str:
    w, least = (choose_loader(QUESTION, step_s=0.25, slots=slots, deadline_s=18.5)[0] for slots in (32, 8))
    times = tuple(QUESTION)
    late = [f"{n} end it at {simulated_end_s(times, 0.25, n, 8 // n):g} s" for n in range(w, least)]
    return (
        f"With room for 32 batches {w} workers are enough. With room for 8, {', '.join(late)}, all after the 18.5 s, "
        f"and it takes {least}: more workers leave each a smaller factor. Memory buys cores."
    )


def drawn(chance: Random) -> list[Inputs]:
    """Return loaders with some slow batches, and deadlines that some pair of workers and factor just meets."""
    found = []
    for _ in range(16):
        count, fast_s = chance.randint(16, 28), chance.choice((0.5, 0.75, 1.0))
        places = chance.sample(range(1, count), chance.randint(1, 3))
        times = slow_at(*places, count=count, fast_s=fast_s, slow_s=fast_s * chance.choice((3, 4, 5)))
        step_s, slots = chance.choice((0.25, 0.5)), chance.randint(6, 16)
        w = chance.randint(2, 6)
        deadline_s = simulated_end_s(tuple(times), step_s, w, max(1, slots // w - chance.randrange(2)))
        found.append(loader(times, step_s, slots, deadline_s + chance.choice((0.0, 0.125))))
    return found


EXERCISE = Exercise(
    choose_loader,
    number=4,
    level="hard",
    asked="a loader with the fewest workers that stays within memory and ends in time",
    expected=wanted,
    observe=observe,
    examples=[
        loader([4.0, 4.0, 4.0, 4.0], 1.0, 4, 10.0),
        loader([4.0, 4.0, 4.0, 4.0], 1.0, 4, 20.0),
        loader([4.0, 4.0, 4.0, 4.0], 1.0, 3, 9.0),
        loader([1.0, 1.0, 1.0, 1.0, 1.0, 5.0, 1.0, 1.0], 1.0, 6, 9.0),
        loader([1.0, 4.0, 1.0, 1.0, 1.0, 4.0, 1.0, 1.0], 1.0, 5, 12.0),
        loader([2.0] * 12, 0.5, 5, 8.0),
        loader([2.0] * 12, 0.5, 6, 8.0),
        loader([1.0, 0.5, 1.0, 2.5], 0.25, 3, 3.75),
        loader([1.0, 0.5, 0.5, 0.5, 4.0], 1.0, 3, 7.5),
        loader([0.25] * 12 + [9.0], 1.0, 12, 13.25),
        loader([0.125] * 20 + [18.0], 1.0, 20, 21.5),
        loader([1.0, 4.0, 1.0, 1.0, 4.0], 1.0, 5, 8.0),
        loader([3.0, 1.0, 1.0, 3.0, 1.0], 0.5, 9, 5.5),
        loader(slow_at(2, 3, count=20), 0.25, 12, 7.5),
        loader(slow_at(4, 12, count=24), 0.25, 7, 9.5),
        loader([6.0, 0.5, 0.25, 2.0, 0.25, 6.0], 0.5, 5, 12.5),
        loader([6.0, 0.5, 0.25, 2.0, 0.25, 6.0], 0.5, 5, 13.5),
        loader([5.0] * 40, 0.25, 36, 15.5),  # 19 workers
        loader(QUESTION, 0.25, 32, 17.7),  # 4 workers are 0.3% late
        loader(QUESTION, 0.25, 10, 16.75),
        loader(QUESTION, 0.25, 32, 18.5),
        loader(QUESTION, 0.25, 8, 18.5),
    ],
    inputs=[
        loader(times, step, slots, deadline)
        for times, step, ideal in (
            (slow_at(5, 6, 13, count=24, fast_s=0.5, slow_s=2.0), 0.25, 6.5),
            (slow_at(1, 8, count=20, fast_s=1.0, slow_s=3.0), 0.5, 11.0),
            (slow_at(7, 15, count=24, fast_s=1.0, slow_s=4.0), 0.25, 7.0),
        )
        for slots in (9, 14)
        for deadline in (ideal + 2.25, ideal + 4.0)
    ],
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "takes_littles_number",
            "Little's law counts averages. Behind a slow batch finished ones wait: the run ends late, or "
            "fewer would do.",
            littles,
            accepts=workers_of(littles),
        ),
        Mistake(
            "plans_for_the_slowest",
            "Workers for the slowest batch are more than needed: finished batches in memory bridge a slow one.",
            for_the_slowest,
            accepts=workers_of(for_the_slowest),
        ),
        Mistake(
            "keeps_the_default_factor",
            "A prefetch factor of 2 is PyTorch's default, no law: memory may hold more batches, and then fewer "
            "workers may do, or it holds fewer.",
            {"f = slots // w": "f = 2"},
            accepts=by_the_default_factor,
        ),
        Mistake(
            "bridges_a_lone_slow_batch",
            "A head start as long as the slowest batch is for a GPU that never waits. This deadline may leave it time "
            "to wait, and slow batches may follow each other: run the clock.",
            for_a_lone_slow_one,
            accepts=workers_of(for_a_lone_slow_one),
        ),
        Mistake(
            "divides_memory_into_fractions",
            "A prefetch factor is a whole number: round slots / w down.",
            {"f = slots // w": "f = slots / w", "end_s(w, f) <=": "end_s(w, slots // w) <="},
        ),
        Mistake(
            "begins_at_littles_number",
            "Little's number is for a GPU that never waits. This deadline leaves it time to wait, so that fewer "
            "workers may do: begin at 1.",
            from_littles,
            accepts=workers_of(from_littles),
        ),
        Mistake(
            "halves_an_interval_of_workers",
            "In the same memory more workers may end later, because f = slots // w is smaller. So halving an interval "
            "can miss the fewest: try 1, 2, 3 and so on.",
            halved,
        ),
        Mistake(
            "takes_all_it_may",
            "As many workers as there is memory for end in time, but fewer do as well.",
            lambda batches_s, *, slots, **_: (slots, 1),
            accepts=lambda chosen, *, slots, **_: chosen[0] == slots,
        ),
        Mistake(
            "counts_memory_for_each_worker",
            "The factor counts for each worker: w · f batches have to fit in memory.",
            {"f = slots // w": "f = slots"},
            accepts=by_rule(held=lambda w, f: f),
        ),
        Mistake(
            "stops_at_the_last_take",
            "The run ends when the last step has ended, not when its batch is taken.",
            {"return free": "return takes[-1]"},
            accepts=by_rule(without_the_last_step),
        ),
        Mistake(
            "measures_from_the_first_take",
            "The clock starts when the first batches are asked for, not when batch 0 is taken.",
            {"return free": "return free - takes[0]"},
            accepts=by_rule(from_the_first_take),
        ),
        Mistake(
            "swaps_the_two",
            "The order is workers, then prefetch factor.",
            {"return w, f": "return f, w"},
            accepts=by_rule(swapped=True),
        ),
        Mistake(
            "stays_before_the_deadline",
            "A run whose last step ends just at the deadline is in time.",
            {"end_s(w, f) <= deadline_s": "end_s(w, f) < deadline_s"},
            accepts=by_rule(below=True),
        ),
        Mistake(
            "leaves_a_slot_free",
            "All of the memory may be used: w · f may be as many batches as it holds.",
            {"f = slots // w": "f = (slots - 1) // w", "range(1, slots + 1)": "range(1, slots)"},
            accepts=by_rule(held=lambda w, f: w * f + 1),
        ),
        Mistake(
            "takes_the_fewest_slots",
            "This holds the fewest batches in memory. Asked for are the fewest workers: memory may be filled for them.",
            fewest_slots,
        ),
        Mistake(
            "asks_for_one_too_early",
            "The first w · f batches are asked for at 0, counted from 0: batch w · f waits until batch 0 is taken.",
            {"takes[i - w * f] if i >= w * f": "takes[i - w * f - 1] if i > w * f"},
            accepts=by_rule(with_one_asked_too_early),
        ),
        Mistake("is_always_two_and_two", "This is right for one input only.", lambda batches_s, **_: (2, 2)),
    ],
)
