"""Simulators: tasks on lanes (a device, a link's directions, a processor), event by event, and what is held."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush

from snippets.domain import each, integer_fields, nonnegative_exact, nonnegative_integer, text, text_fields

Time = int | float | Fraction

MOST_TASKS = 20_000


@dataclass(frozen=True)
class LaneTask:
    """A piece of work for one lane.

    Attributes:
        name: what it is.
        lane: who does it.
        seconds: how long that takes if the lane does nothing else, at least 0; a ``Fraction`` stays exact.
        after: numbers of the tasks, in their list, that must have ended before.
        layer: of the model, at least 0, for pictures; ``None`` if it has none.

    Raises:
        ValueError: a time is negative, or a number is none.

    >>> LaneTask("forward", "GPU", 2.0).seconds
    2.0
    """

    name: str
    lane: str
    seconds: Time
    after: tuple[int, ...] = ()
    layer: int | None = None

    def __post_init__(self) -> None:
        text_fields(self, "name", "lane")
        object.__setattr__(self, "seconds", nonnegative_exact("seconds", self.seconds))
        object.__setattr__(self, "after", each("after", self.after, nonnegative_integer))
        if self.layer is not None:
            integer_fields(self, "layer", minimum=0)


@dataclass(frozen=True)
class TaskTimes:
    """When a task began and ended, in seconds.

    >>> TaskTimes(1.0, 3.0).end_s
    3.0
    """

    start_s: Time
    end_s: Time


def run_lanes(tasks: Sequence[LaneTask], *, shared: Collection[str] = ()) -> tuple[TaskTimes, ...]:
    """Run tasks on their lanes, from event to event, and return when each began and ended.

    Args:
        tasks: at most 20,000.
        shared: lanes that work at all tasks that are ready at once, each at an equal share of the speed. Other lanes
            do one task after the other.

    Returns:
        The times, in the order of ``tasks``.

    Raises:
        ValueError: tasks wait for each other in a circle, for one that there is not, or there are too many.

    Source: derived.
    Convention: a lane that is free begins the first of its tasks, in their order in the list, that is ready, and never
        interrupts it. All lanes work at the same time.
    Leaves out: that lanes slow each other down, as a copy does that reads the memory at which a processor works.

    Example:
        >>> copy = LaneTask("copy", "link", 2.0)
        >>> [(times.start_s, times.end_s) for times in run_lanes([copy, copy])]
        [(0, 2.0), (2.0, 4.0)]
        >>> [times.end_s for times in run_lanes([copy, copy], shared=["link"])]
        [4.0, 4.0]
    """
    given = _checked(tasks)
    if isinstance(shared, str) or not isinstance(shared, Collection):
        raise ValueError(f"shared must be a list of lanes, got {shared!r}")
    lanes = _Lanes(given, {text("shared", lane) for lane in shared})
    while lanes.left:
        lanes.begin_what_is_ready()
        lanes.advance()
    return tuple(map(TaskTimes, lanes.start, lanes.end))


class _Lanes:
    """All lanes at one moment: which tasks are ready, which at work until when, when tasks began and ended.

    A heap has the tasks that are alone on their lanes by their ends, which nothing changes; of those that share a lane,
    ``rests`` has what is left.
    """

    def __init__(self, tasks: Sequence[LaneTask], shared: set[str]) -> None:
        self.tasks, self.shared = tasks, shared
        self.waiting = [len(task.after) for task in tasks]
        self.followers: list[list[int]] = [[] for _ in tasks]
        self.ready: dict[str, list[int]] = {task.lane: [] for task in tasks}  # heaps
        for number, task in enumerate(tasks):
            for before in task.after:
                self.followers[before].append(number)
            if not task.after:
                self.ready[task.lane].append(number)
        self.changed = set(self.ready)  # lanes that may begin a task
        self.busy: set[str] = set()
        self.ends: list[tuple[Time, int]] = []
        self.rests: dict[str, dict[int, Time]] = {lane: {} for lane in self.ready if lane in shared}
        self.start: list[Time] = [0] * len(tasks)
        self.end: list[Time] = [0] * len(tasks)
        self.now: Time = 0
        self.left = len(tasks)

    def begin_what_is_ready(self) -> None:
        """Put tasks on the lanes that are free for them."""
        for lane in self.changed:
            numbers = self.ready[lane]
            while numbers and lane not in self.busy:
                number = heappop(numbers)
                self.start[number] = self.now
                if lane in self.shared:
                    self.rests[lane][number] = self.tasks[number].seconds
                else:
                    self.busy.add(lane)
                    heappush(self.ends, (self.now + self.tasks[number].seconds, number))
        self.changed.clear()

    def advance(self) -> None:
        """Work until the next task ends."""
        together = {
            number: self.now + rest * len(rests) for rests in self.rests.values() for number, rest in rests.items()
        }
        if not together and not self.ends:
            raise ValueError("after must not lead round in a circle: tasks wait for each other")
        then = min([*together.values(), *(end for end, _ in self.ends[:1])])
        if math.isinf(then):
            raise ValueError("seconds must be such that the end fits a float")
        for rests in self.rests.values():
            share = len(rests)
            for number in list(rests):
                if together[number] > then:
                    rests[number] -= (then - self.now) / share if share > 1 else then - self.now
                else:
                    del rests[number]
                    self._finish(number, then)
        while self.ends and self.ends[0][0] <= then:
            number = heappop(self.ends)[1]
            self.busy.remove(self.tasks[number].lane)
            self._finish(number, then)
        self.now = then

    def _finish(self, number: int, then: Time) -> None:
        self.end[number] = then
        self.left -= 1
        self.changed.add(self.tasks[number].lane)
        for follower in self.followers[number]:
            self.waiting[follower] -= 1
            if not self.waiting[follower]:
                lane = self.tasks[follower].lane
                heappush(self.ready[lane], follower)
                self.changed.add(lane)


@dataclass(frozen=True)
class Holding:
    """Bytes that the device holds from the start of one task to the end of another.

    Attributes:
        size_bytes: how many, at least 0.
        kind: of what.
        made: number of the task from whose start they are held, at least 0; ``None``: from the beginning.
        freed: number of the task with whose end they go, at least 0; ``None``: never.

    >>> Holding(8, "gradients", made=0, freed=1).size_bytes
    8
    """

    size_bytes: int
    kind: str
    made: int | None = None
    freed: int | None = None

    def __post_init__(self) -> None:
        integer_fields(self, "size_bytes", minimum=0)
        text("kind", self.kind)
        integer_fields(self, *(name for name in ("made", "freed") if getattr(self, name) is not None), minimum=0)


def held_over_run(
    times: Sequence[TaskTimes], holdings: Sequence[Holding]
) -> tuple[tuple[Time, Time, dict[str, int]], ...]:
    """Return what is held in each stretch of time between two events.

    Args:
        times: of the tasks, from ``run_lanes``.
        holdings: what is held; each names two of the tasks.

    Returns:
        Start, end and bytes by kind of each stretch in which what is held does not change, in order.

    Raises:
        ValueError: there are no tasks, or a holding names a task that there is not.

    Convention: what is freed at a moment and what is made at the same moment do not count together.

    Example:
        >>> times = [TaskTimes(0, 2), TaskTimes(2, 3)]
        >>> held_over_run(times, [Holding(8, "gradients", made=0, freed=1), Holding(4, "gradients", made=1)])
        ((0, 2, {'gradients': 8}), (2, 3, {'gradients': 12}))
    """
    ran, kept = each("times", times, _times), each("holdings", holdings, _holding)
    if not ran:
        raise ValueError(f"times must hold at least one task, got {times!r}")
    if any(max(holding.made or 0, holding.freed or 0) >= len(ran) for holding in kept):
        raise ValueError(f"holdings must name tasks among the {len(ran)} of times, got {holdings!r}")
    moments = sorted({0, *(one.start_s for one in ran), *(one.end_s for one in ran)})
    stretches: list[tuple[Time, Time, dict[str, int]]] = []
    for begin, stop in itertools.pairwise(moments):
        held: dict[str, int] = {}
        for holding in kept:
            since = 0 if holding.made is None else ran[holding.made].start_s
            until = math.inf if holding.freed is None else ran[holding.freed].end_s
            if since <= begin and stop <= until:
                held[holding.kind] = held.get(holding.kind, 0) + holding.size_bytes
        stretches.append((begin, stop, held))
    return tuple(stretches)


def _checked(tasks: Sequence[LaneTask]) -> tuple[LaneTask, ...]:
    given = each("tasks", tasks, _task)
    if len(given) > MOST_TASKS:
        raise ValueError(f"tasks must be at most {MOST_TASKS:,}, got {len(given):,}")
    for task in given:
        if any(before >= len(given) for before in task.after):
            raise ValueError(f"after must hold numbers of tasks, below {len(given)}, got {task.after}")
    return given


def _task(name: str, value: LaneTask) -> LaneTask:
    if not isinstance(value, LaneTask):
        raise TypeError(f"{name} must be a LaneTask, got {value!r}")
    return value


def _times(name: str, value: TaskTimes) -> TaskTimes:
    if not isinstance(value, TaskTimes):
        raise TypeError(f"{name} must be TaskTimes, got {value!r}")
    return value


def _holding(name: str, value: Holding) -> Holding:
    if not isinstance(value, Holding):
        raise TypeError(f"{name} must be a Holding, got {value!r}")
    return value
