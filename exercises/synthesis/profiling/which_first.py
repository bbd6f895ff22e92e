"""Exercise: which proposal makes a step shortest, when a faster kernel may uncover what it hid."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from grader.exercise import Exercise, Mistake, inputs_for
from snippets.memory.offloading.lanes import LaneTask, run_lanes


def which_first(
    proposals: list[tuple[str, int]],
    *,
    matmul_ms: int,
    attention_ms: int,
    hidden_ms: int,
    transfer_ms: int,
    waiting_ms: int,
    data_ms: int,
) -> int:
    """Return which proposal makes the step shortest.

    Matmuls and attention run one after the other. Beside them runs hidden
    communication; what outlasts them sticks out. After both come exposed
    transfers, waiting for other ranks, and waiting for data. A proposal makes
    one part faster and changes nothing else.

    Args:
        proposals: at least one; each is the part, ``"matmul"``,
            ``"attention"``, ``"transfer"``, ``"waiting"`` or ``"data"``, and
            its new speed in per cent of the old, at least 100.
        matmul_ms: time of the matmuls, at least 0.
        attention_ms: time of the attention, at least 0.
        hidden_ms: communication beside both, at least 0; it may outlast them
            already.
        transfer_ms: exposed transfers, at least 0.
        waiting_ms: waiting for other ranks, at least 0.
        data_ms: waiting for data, at least 0.

    Returns:
        The proposal's number, from 0; of equally good ones the first. If none
        makes the step shorter, -1. Compare exactly: floats may tell equally
        good ones apart.

    >>> which_first(
    ...     [("attention", 200), ("transfer", 200)], matmul_ms=5,
    ...     attention_ms=4, hidden_ms=8, transfer_ms=3, waiting_ms=0, data_ms=0,
    ... )
    1
    """
    now: dict[str, Fraction | int] = {
        "matmul": matmul_ms,
        "attention": attention_ms,
        "transfer": transfer_ms,
        "waiting": waiting_ms,
        "data": data_ms,
    }

    def step(part: str, speed: int) -> Fraction:
        took = {**now, part: 100 * Fraction(now[part]) / speed}
        computing = took["matmul"] + took["attention"]
        rest = took["transfer"] + took["waiting"] + took["data"]
        return Fraction(max(computing, hidden_ms) + rest)

    steps = [step(part, speed) for part, speed in proposals]
    best = min(steps)
    return steps.index(best) if best < step("data", 100) else -1


def on_lanes(proposals: list[tuple[str, int]], **parts: int) -> int:
    """Run the step on two lanes, for each proposal and as it is."""

    def end(part: str, speed: int) -> Fraction:
        took = {name.removesuffix("_ms"): Fraction(int(us)) for name, us in parts.items()}
        took[part] = took[part] * 100 / int(speed)
        tasks = [
            LaneTask("matmul", "GPU", took["matmul"]),
            LaneTask("attention", "GPU", took["attention"], (0,)),
            LaneTask("hidden", "links", took["hidden"]),
            LaneTask("transfer", "links", took["transfer"], (1, 2)),
            LaneTask("waiting", "links", took["waiting"], (3,)),
            LaneTask("data", "host", took["data"], (4,)),
        ]
        return Fraction(run_lanes(tasks)[-1].end_s)

    as_it_is = end("data", 100)
    found = -1
    for number, (part, speed) in enumerate(proposals):
        if end(part, speed) < min([as_it_is, *(end(*proposals[k]) for k in ([found] if found >= 0 else []))]):
            found = number
    return found


steps_of = inputs_for(which_first)
TABLE = [("attention", 200), ("transfer", 2000), ("data", 110), ("waiting", 10_000)]
OWN = steps_of(TABLE, 574, 178, 33, 69, 446, 4)
AFTER = steps_of([*TABLE, ("matmul", 108)], 574, 178, 33, 69, 0, 4)


def taught() -> str:
    names = {"attention": "a faster attention", "transfer": "hidden transfers", "waiting": "data in time on all ranks"}
    first = TABLE[which_first(**OWN)][0]
    then = AFTER["proposals"][which_first(**AFTER)][0]
    step = 574 + 178 + 69 + 446 + 4
    return (
        f"First {names[first]}: it saves 442 of {step:,} ms, {442 / step:.0%} of this step, where the attention saves "
        f"89 and the transfers 66. Once nobody waits, {names[then]} comes first, with 89 ms; good matmuls save 43."
    )


def _told(**changed: Any) -> Callable[..., int]:
    """Return the choice of one who takes some of the parts for others."""

    def choose(proposals, **parts):  # type: ignore[no-untyped-def]
        return which_first(proposals, **{**parts, **{name: make(parts) for name, make in changed.items()}})

    return choose


def _largest(proposals, **parts):  # type: ignore[no-untyped-def]
    sizes = [parts[f"{part}_ms"] for part, _ in proposals]
    return sizes.index(max(sizes))


EXERCISE = Exercise(
    which_first,
    number=4,
    level="medium",
    asked="the proposal with which the step is shortest, or -1",
    expected=on_lanes,
    examples=[
        steps_of([("attention", 200), ("transfer", 200)], 5, 4, 8, 3, 0, 0),
        steps_of([("matmul", 200)], 4, 0, 6, 0, 0, 0),
        steps_of([("matmul", 100), ("data", 100)], 4, 0, 0, 0, 0, 3),
        steps_of([("waiting", 110), ("data", 1000)], 0, 0, 0, 0, 10, 2),
        steps_of([("data", 200), ("waiting", 200)], 1, 1, 0, 0, 4, 4),
        steps_of([("matmul", 200), ("attention", 400)], 9, 8, 0, 0, 0, 0),
        steps_of([("matmul", 300), ("transfer", 150)], 12, 0, 9, 12, 0, 0),
        steps_of([("transfer", 200), ("matmul", 300), ("data", 150)], 4, 7, 0, 2, 7, 8),
        steps_of([("data", 600), ("waiting", 600), ("data", 130)], 7, 0, 9, 1, 10, 10),
        steps_of([("transfer", 200)], 1, 0, 0, 2, 0, 300),
        AFTER,
        OWN,
    ],
    inputs=lambda st: {
        "proposals": st.lists(
            st.tuples(
                st.sampled_from(["matmul", "attention", "transfer", "waiting", "data"]),
                st.sampled_from([100, 110, 125, 150, 200, 400, 1000]),
            ),
            min_size=1,
            max_size=4,
        ),
        "matmul_ms": st.integers(0, 20),
        "attention_ms": st.integers(0, 12),
        "hidden_ms": st.integers(0, 30),
        "transfer_ms": st.integers(0, 10),
        "waiting_ms": st.integers(0, 10),
        "data_ms": st.integers(0, 10),
    },
    draws=150,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_what_was_hidden",
            "You forgot the communication that runs beside. A faster kernel uncovers it.",
            _told(hidden_ms=lambda parts: 0),
        ),
        Mistake(
            "takes_the_largest_slice",
            "You took the proposal for the largest part. How much faster it gets counts as well.",
            _largest,
        ),
        Mistake(
            "takes_the_largest_factor",
            "You took the largest factor. Of a small part even all of it is little.",
            lambda proposals, **parts: [speed for _, speed in proposals].index(max(speed for _, speed in proposals)),
        ),
        Mistake(
            "takes_speed_for_time_saved",
            "You took 200% for all of the time saved. At f times the speed, 1/f of the time is left.",
            {"100 * Fraction(now[part]) / speed": "max(Fraction(0), now[part] * (1 - Fraction(speed - 100, 100)))"},
        ),
        Mistake(
            "always_proposes",
            "You proposed something where nothing helps. Then the answer is -1.",
            {'if best < step("data", 100) else -1': ""},
        ),
        Mistake(
            "takes_the_last",
            "Of equally good ones you took the last. Take the first.",
            {"steps.index(best)": "len(steps) - 1 - steps[::-1].index(best)"},
        ),
        Mistake(
            "counts_from_one",
            "You counted the proposals from 1. They are counted from 0.",
            {"return steps.index(best) if": "return steps.index(best) + 1 if"},
        ),
        Mistake(
            "hides_behind_matmuls_alone",
            "You hid the communication behind the matmuls alone. The attention computes beside it too.",
            {"max(computing, hidden_ms) + rest": 'max(took["matmul"], hidden_ms) + took["attention"] + rest'},
        ),
    ],
)
