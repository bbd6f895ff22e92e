"""Exercise: the most bytes that are held at one time, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake


def peak_and_live(events: Sequence[tuple[str, int]]) -> tuple[int, list[str]]:
    """Return the most bytes that are held at one time, and by whom.

    Args:
        events: a name and a number of bytes for each event, in the order of
            time: positive where a tensor is allocated, negative, and of the
            same size, where it is freed. A name may be used again after it was
            freed. There may be no events at all.

    Returns:
        The peak in bytes, and the names of the tensors that are held then, in
        the order in which they were allocated. Where the peak is reached more
        than once, the names are those of the first time.

    >>> peak_and_live([("a", 1), ("b", 2), ("b", -2), ("c", 1)])
    (3, ['a', 'b'])
    """
    held: dict[str, int] = {}
    peak, live = 0, []
    for name, change in events:
        if change > 0:
            held[name] = change
        else:
            del held[name]
        if sum(held.values()) > peak:
            peak, live = sum(held.values()), list(held)
    return peak, live


def peak_of_prefixes(*, events: list[tuple[str, int]]) -> tuple[int, list[str]]:
    """Add up every beginning of the events anew, and list who was allocated in the first of the largest, not freed."""
    totals = [sum(change for _, change in events[:end]) for end in range(len(events) + 1)]
    worst = events[: totals.index(max(totals))]
    held = [
        name for place, (name, change) in enumerate(worst) if change > 0 and (name, -change) not in worst[place + 1 :]
    ]
    return max(totals), held


def switched(switches: list[tuple[str, int]]) -> Inputs:
    """Return events that allocate a name which is not held, and free one that is."""
    held: dict[str, int] = {}
    events = []
    for name, size in switches:
        events.append((name, -held.pop(name) if name in held else held.setdefault(name, size)))
    return {"events": events}


def keeps_the_first_place(events: Sequence[tuple[str, int]]) -> Any:
    listed = list(events)
    peak, live = peak_and_live(listed)
    return peak, sorted(live, key=[name for name, _ in listed].index)


def sorts_by_size(events: Sequence[tuple[str, int]]) -> Any:
    held: dict[str, int] = {}
    worst: dict[str, int] = {}
    for name, change in events:
        held = {**held, name: change} if change > 0 else {key: size for key, size in held.items() if key != name}
        worst = max(worst, held, key=lambda one: sum(one.values()))
    return sum(worst.values()), sorted(worst, key=lambda name: -worst[name])


def takes_the_largest_tensor(events: Sequence[tuple[str, int]]) -> Any:
    name, size = max(events, key=lambda event: event[1], default=("", 0))
    return size, [name] * bool(name)


EXERCISE = Exercise(
    peak_and_live,
    number=2,
    asked="the most bytes held at one time, and the tensors held then",
    expected=peak_of_prefixes,
    examples=[
        {"events": [("a", 1), ("b", 2), ("b", -2), ("c", 1)]},
        {"events": [("a", 1), ("a", -1), ("b", 1)]},
        {"events": [("a", 1), ("b", 1), ("a", -1), ("a", 2)]},
        {"events": [("a", 1)]},
        {"events": []},
    ],
    inputs=lambda st: st.builds(
        switched, st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 5)), min_size=3, max_size=9)
    ),
    mistakes=[
        Mistake(
            "takes_the_last_time",
            "The peak is reached more than once; asked is who is held the first time.",
            {"sum(held.values()) > peak": "sum(held.values()) >= peak"},
        ),
        Mistake(
            "looks_at_the_end",
            "This is what is held in the end; the peak is somewhere on the way.",
            {"if sum(held.values()) > peak": "if True"},
        ),
        Mistake(
            "names_the_end",
            "These names are held in the end, not at the peak: note them when the peak is reached.",
            {"return peak, live": "return peak, list(held)"},
        ),
        Mistake(
            "never_frees",
            "This adds up all allocations; what was freed before is not held any more.",
            lambda events: (
                sum(max(0, change) for _, change in events),
                [name for name, change in events if change > 0],
            ),
        ),
        Mistake("sorts_by_size", "The names are asked for in the order of allocation, not of size.", sorts_by_size),
        Mistake(
            "keeps_the_first_place",
            "A name that is used again stands where it was allocated last, not where it came up first.",
            keeps_the_first_place,
        ),
        Mistake(
            "takes_the_largest_tensor",
            "This is the largest tensor alone; at the peak others are held beside it.",
            takes_the_largest_tensor,
        ),
        Mistake("holds_nothing", "This is right for one input only: no events.", lambda events: (0, [])),
    ],
)
