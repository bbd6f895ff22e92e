"""Exercise: whom each microsecond of a step belongs to, so that the budget adds up."""

from __future__ import annotations

from itertools import pairwise

from grader.exercise import Exercise, Mistake, inputs_for


def attribute_step(
    events: list[tuple[str, int, int]],
    *,
    step_us: int,
) -> tuple[int, int, int, int]:
    """Return a step's budget: computing, exposed communication, data, idle.

    Events of all lanes are given in any order. They may overlap, also those of
    one kind. Each instant of the step belongs to computing if anything
    computes, else to communication if anything communicates, else to waiting
    for data if the loader runs, else it is idle.

    Args:
        events: each as its kind, ``"compute"``, ``"communication"`` or
            ``"data"``, when it begins and when it ends, in microseconds; it
            doesn't end before it begins, but may begin before the step or
            end after it.
        step_us: the step lasts from 0 to here; at least 1.

    Returns:
        Microseconds of computing, exposed communication, data and idle time,
        which add up to ``step_us``.

    >>> attribute_step(
    ...     [("compute", 0, 4), ("communication", 3, 7), ("compute", 7, 9)],
    ...     step_us=10,
    ... )
    (6, 3, 0, 1)
    """
    kinds = ("compute", "communication", "data", "idle")
    inside = [(kind, max(begin, 0), min(end, step_us)) for kind, begin, end in events]
    edges = sorted({0, step_us, *(t for _, *ends in inside for t in ends if 0 <= t <= step_us)})
    spent = dict.fromkeys(kinds, 0)
    for start, stop in pairwise(edges):
        runs = {kind for kind, begin, end in inside if begin <= start and stop <= end}
        owner = next((kind for kind in kinds if kind in runs), "idle")
        spent[owner] += stop - start
    return spent["compute"], spent["communication"], spent["data"], spent["idle"]


def by_instant(events: list[tuple[str, int, int]], *, step_us: int) -> tuple[int, int, int, int]:
    """Look at every microsecond."""
    ranks = {"compute": 0, "communication": 1, "data": 2}
    owner = [3] * int(step_us)
    for kind, begin, end in events:
        for instant in range(max(0, int(begin)), min(int(step_us), int(end))):
            owner[instant] = min(owner[instant], ranks[kind])
    return tuple(owner.count(which) for which in range(4))  # type: ignore[return-value]


steps_of = inputs_for(attribute_step)
OWN = steps_of(
    [
        ("data", 0, 4),
        ("communication", 4, 452),
        ("compute", 451, 700),
        ("communication", 690, 770),
        ("compute", 770, 1316),
        ("communication", 900, 1310),
        ("compute", 1386, 1397),
    ],
    1397,
)


def taught() -> str:
    compute, exposed, data, idle = attribute_step(**OWN)
    summed = sum(end - begin for kind, begin, end in OWN["events"] if kind == "communication")
    return (
        f"The step of {OWN['step_us']:,} µs is {compute} of computing, {exposed} of exposed communication, {data} of "
        f"data and {idle} idle. The communication's own durations add up to {summed}: {summed - exposed} are hidden."
    )


EXERCISE = Exercise(
    attribute_step,
    number=2,
    level="medium",
    asked="the microseconds of computing, exposed communication, data and idle time",
    expected=by_instant,
    examples=[
        steps_of([("compute", 0, 4), ("communication", 3, 7), ("compute", 7, 9)], 10),
        steps_of([], 5),
        steps_of([("compute", 0, 4), ("compute", 2, 6)], 8),
        steps_of([("communication", 0, 6), ("communication", 1, 3), ("data", 5, 8)], 8),
        steps_of([("data", 0, 9), ("compute", 4, 6)], 9),
        steps_of([("compute", -3, 2), ("communication", 6, 12)], 8),
        steps_of([("data", -5, -1), ("compute", 20, 25)], 8),
        steps_of([("communication", 2, 2), ("compute", 1, 4)], 5),
        steps_of([("compute", -5, 20)], 10),
        steps_of([("communication", -2, 12), ("compute", 3, 5), ("data", -9, 9)], 8),
        OWN,
    ],
    inputs=lambda st: {
        "events": st.lists(
            st.tuples(
                st.sampled_from(["compute", "communication", "data"]),
                st.integers(-4, 24),
                st.integers(0, 12) | st.integers(0, 60),
            ).map(lambda event: (event[0], event[1], event[1] + event[2])),
            max_size=7,
        ),
        "step_us": st.integers(8, 24),
    },
    draws=120,
    units={"result": "µs"},
    taught=taught,
    mistakes=[
        Mistake(
            "adds_durations",
            "You added durations. What overlaps counts once, and the budget has to add up to the step.",
            lambda events, *, step_us: (lambda own: (*own, step_us - sum(own)))(
                [
                    sum(max(0, min(e, step_us) - max(b, 0)) for k, b, e in events if k == kind)
                    for kind in ("compute", "communication", "data")
                ]
            ),
        ),
        Mistake(
            "communication_first",
            "You gave what overlaps to communication. Beside computing it's hidden, and costs nothing by itself.",
            {'("compute", "communication", "data", "idle")': '("communication", "compute", "data", "idle")'},
        ),
        Mistake(
            "data_first",
            "You counted the loader while the GPU was busy. Only while nothing else runs does the step wait for data.",
            {'("compute", "communication", "data", "idle")': '("data", "compute", "communication", "idle")'},
        ),
        Mistake(
            "data_before_communication",
            "You gave to data what belongs to communication, which comes before it.",
            {'("compute", "communication", "data", "idle")': '("compute", "data", "communication", "idle")'},
        ),
        Mistake(
            "counts_beyond_the_step",
            "You counted what runs before the step or after it.",
            lambda events, *, step_us: (
                lambda low, high: attribute_step([(k, b - low, e - low) for k, b, e in events], step_us=high - low)
            )(min([0, *(b for _, b, _ in events)]), max([step_us, *(e for _, _, e in events)])),
        ),
        Mistake(
            "drops_what_spans_the_step",
            "You left out what begins before the step and ends after it. It runs all the while.",
            lambda events, *, step_us: attribute_step(
                [(k, b, e) for k, b, e in events if not (b < 0 and e > step_us)], step_us=step_us
            ),
        ),
        Mistake(
            "waits_for_the_last_event",
            "You ended the step with its last event. It lasts until step_us, and what is left is idle.",
            lambda events, *, step_us: (
                lambda found: (*found[:3], max(0, min(step_us, max([0, *(e for _, _, e in events)])) - sum(found[:3])))
            )(attribute_step(events, step_us=step_us)),
        ),
        Mistake(
            "gives_idle_time_away",
            "You left out the idle time. What belongs to nobody is a line of its own, often the first to look at.",
            lambda events, *, step_us: (*attribute_step(events, step_us=step_us)[:3], 0),
        ),
        Mistake(
            "shares",
            "You gave shares of the step. Asked are microseconds.",
            lambda events, *, step_us: tuple(part / step_us for part in attribute_step(events, step_us=step_us)),
        ),
    ],
)
