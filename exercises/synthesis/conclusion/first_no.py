"""Exercise: which of the three questions a layout answers with no first."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def first_no(
    *,
    held_mb: int,
    limit_mb: int,
    work_ms: int,
    again_ms: int,
    bubble_ms: int,
    exposed_ms: int,
    tolerated_percent: int,
) -> str:
    """Return which of the three questions a layout answers with no, the first.

    A layout fits if its fullest GPU holds no more than the limit. Its GPUs are
    busy if at most the tolerated part of a step goes to computing again and to
    the bubble. Its communication is hidden if at most that part of a step goes
    to waiting for messages. A step is the sum of the four times.

    Args:
        held_mb: what the fullest GPU holds, at least 0.
        limit_mb: what it may hold.
        work_ms: computing that has to be done once, at least 1.
        again_ms: computing what was computed before, at least 0.
        bubble_ms: waiting for a pipeline to fill and to drain, at least 0.
        exposed_ms: waiting for messages, at least 0.
        tolerated_percent: of a step, from 0 to 100.

    Returns:
        ``"memory"``, ``"compute"``, ``"communication"`` or ``"none"``.

    >>> first_no(
    ...     held_mb=60, limit_mb=72, work_ms=80, again_ms=5, bubble_ms=6,
    ...     exposed_ms=9, tolerated_percent=10,
    ... )
    'compute'
    """
    step = work_ms + again_ms + bubble_ms + exposed_ms
    if held_mb > limit_mb:
        return "memory"
    if 100 * (again_ms + bubble_ms) > tolerated_percent * step:
        return "compute"
    if 100 * exposed_ms > tolerated_percent * step:
        return "communication"
    return "none"


def by_exclusion(
    *,
    held_mb: int,
    limit_mb: int,
    work_ms: int,
    again_ms: int,
    bubble_ms: int,
    exposed_ms: int,
    tolerated_percent: int,
) -> str:
    """Cut the step into its parts as shares, and strike out what is within its bound, the last question first."""
    whole = sum(map(Fraction, (work_ms, again_ms, bubble_ms, exposed_ms)))
    useful, waiting = Fraction(work_ms) / whole, Fraction(exposed_ms) / whole
    verdict, most = "none", Fraction(tolerated_percent, 100)
    if not waiting <= most:
        verdict = "communication"
    if not 1 - useful - waiting <= most:
        verdict = "compute"
    return verdict if limit_mb >= held_mb else "memory"


case = inputs_for(first_no)


def taught() -> str:
    return (
        "The order is the point. Sharding and cutting change all three answers, so a layout that doesn't fit has no "
        "waiting worth measuring yet. The chapter's job has said no to each of the three in turn: with nothing "
        "sharded, with layers that run twice, and cut among 64 GPUs."
    )


EXERCISE = Exercise(
    first_no,
    number=1,
    level="easy",
    asked="the first question that is answered with no",
    expected=by_exclusion,
    examples=[
        case(60, 72, 80, 5, 6, 9, 10),
        case(73, 72, 80, 30, 6, 40, 10),
        case(72, 72, 80, 5, 5, 10, 10),
        case(72, 72, 79, 5, 5, 11, 10),
        case(72, 72, 79, 5, 6, 10, 10),
        case(10, 72, 50, 0, 10, 40, 10),
        case(10, 72, 50, 10, 0, 40, 20),
        case(0, 1, 1, 0, 0, 0, 0),
        case(0, 1, 95, 5, 0, 0, 0),
        case(0, 1, 95, 0, 0, 5, 0),
        case(0, 1, 895, 105, 0, 0, 10),
        case(0, 1, 899, 101, 0, 0, 10),
        case(0, 1, 899, 0, 0, 101, 10),
        case(0, 1, 891, 0, 0, 109, 10),
        case(0, 1, 93, 7, 0, 0, 7),
        case(0, 1, 93, 0, 0, 7, 7),
        case(12_600, 72_000, 6_370, 0, 0, 17_420, 10),
    ],
    inputs=lambda st: {
        "held_mb": st.integers(0, 100),
        "limit_mb": st.integers(50, 90),
        "work_ms": st.integers(1, 60),
        "again_ms": st.integers(0, 12),
        "bubble_ms": st.integers(0, 12),
        "exposed_ms": st.integers(0, 25),
        "tolerated_percent": st.sampled_from([0, 5, 10, 20, 25]),
    },
    draws=200,
    taught=taught,
    mistakes=[
        Mistake(
            "asks_for_communication_first",
            "You asked whether communication is hidden before you asked whether the GPUs are busy. The order is "
            "memory, compute, communication.",
            lambda *, held_mb, limit_mb, work_ms, again_ms, bubble_ms, exposed_ms, tolerated_percent: (
                "memory"
                if held_mb > limit_mb
                else "communication"
                if 100 * exposed_ms > tolerated_percent * (work_ms + again_ms + bubble_ms + exposed_ms)
                else "compute"
                if 100 * (again_ms + bubble_ms) > tolerated_percent * (work_ms + again_ms + bubble_ms + exposed_ms)
                else "none"
            ),
        ),
        Mistake(
            "forgets_what_is_made_again",
            "You left out what is computed again. A GPU that repeats itself isn't busy with the job.",
            {"100 * (again_ms + bubble_ms)": "100 * bubble_ms"},
        ),
        Mistake(
            "forgets_the_bubble",
            "You left out the bubble. In it a GPU waits for its neighbours, not for messages.",
            {"100 * (again_ms + bubble_ms)": "100 * again_ms"},
        ),
        Mistake(
            "compares_with_the_work",
            "You compared with the work alone. The tolerated part is one of the step, with all four times in it.",
            {"step = work_ms + again_ms + bubble_ms + exposed_ms": "step = work_ms"},
        ),
        Mistake(
            "is_stricter",
            "You said no where exactly the tolerated part is lost. That much is tolerated.",
            {
                f"> tolerated_percent * step:{line}": f">= tolerated_percent * step:{line}"
                for line in ('\n        return "compute"', '\n        return "communication"')
            },
        ),
        Mistake(
            "leaves_no_full_gpu",
            "You said no where a GPU holds exactly what it may. That fits.",
            {"held_mb > limit_mb": "held_mb >= limit_mb"},
        ),
        Mistake(
            "adds_all_losses",
            "You added waiting for messages to what isn't busy. It has a question of its own.",
            {"100 * (again_ms + bubble_ms)": "100 * (again_ms + bubble_ms + exposed_ms)"},
        ),
        Mistake(
            "gives_the_largest_loss",
            "You gave the larger of both losses. Asked is the first no.",
            lambda *, held_mb, limit_mb, work_ms, again_ms, bubble_ms, exposed_ms, tolerated_percent: (
                "memory"
                if held_mb > limit_mb
                else "none"
                if 100 * max(again_ms + bubble_ms, exposed_ms)
                <= tolerated_percent * (work_ms + again_ms + bubble_ms + exposed_ms)
                else "compute"
                if again_ms + bubble_ms >= exposed_ms
                else "communication"
            ),
        ),
    ],
)
