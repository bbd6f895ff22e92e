"""Exercise: the cheapest techniques of a toolkit that make a job fit."""

from __future__ import annotations

from itertools import product

from grader.exercise import Exercise, Mistake, inputs_for


def least_extra_ms(
    techniques: list[tuple[int, int]],
    *,
    held_gb: int,
    limit_gb: int,
) -> int | None:
    """Return how many milliseconds a step gets longer so that a job fits.

    Each technique can be switched on once, and any of them together. What
    they free adds up, and so does what they cost.

    Args:
        techniques: at most ten; for each the gigabytes that it frees on the
            fullest GPU and the milliseconds that it adds to a step, both at
            least 0.
        held_gb: what the fullest GPU holds without any of them.
        limit_gb: what it may hold.

    Returns:
        The fewest milliseconds; 0 if nothing is needed, ``None`` if all of
        them together don't free enough.

    >>> least_extra_ms([(10, 20), (30, 90), (15, 40)], held_gb=95, limit_gb=72)
    60
    """
    best = None
    for chosen in product((False, True), repeat=len(techniques)):
        used = [pair for pair, on in zip(techniques, chosen, strict=True) if on]
        freed, added = sum(gb for gb, _ in used), sum(ms for _, ms in used)
        if held_gb - freed <= limit_gb and (best is None or added < best):
            best = added
    return best


def by_table(techniques: list[tuple[int, int]], *, held_gb: int, limit_gb: int) -> int | None:
    """Fill a table of what each gigabyte costs at least, one technique after the other."""
    wanted = max(0, held_gb - limit_gb)
    costs: list[int | None] = [0] + [None] * wanted
    for gb, ms in techniques:
        for need in range(wanted, 0, -1):
            before = costs[max(0, need - gb)]
            if before is not None and (costs[need] is None or before + ms < costs[need]):  # type: ignore[operator]
                costs[need] = before + ms
    return costs[wanted]


case = inputs_for(least_extra_ms)
OWN_TOOLS = [(12, 20), (137, 1750), (81, 340), (79, 550), (40, 900)]
OWN = case(OWN_TOOLS, 164, 72)


def taught() -> str:
    return (
        "In the exercise's own case the right pair costs 0.36 s a step. If you take the technique "
        "that frees most, running layers twice, you pay 1.75 s, nearly five times as much."
    )


EXERCISE = Exercise(
    least_extra_ms,
    number=3,
    level="medium",
    asked="how many milliseconds a step gets longer at least",
    expected=by_table,
    examples=[
        case([(10, 20), (30, 90), (15, 40)], 95, 72),
        case([(10, 20), (30, 50), (15, 40)], 95, 72),
        case([(10, 20)], 72, 72),
        case([(10, 20)], 60, 72),
        case([(10, 20)], 82, 72),
        case([(10, 20)], 83, 72),
        case([], 10, 20),
        case([], 20, 10),
        case([(3, 1), (5, 3), (9, 4)], 80, 72),
        case([(5, 0), (0, 5)], 77, 72),
        case([(5, 1)] * 10, 122, 72),
        case([(5, 1)] * 9, 117, 72),
        OWN,
    ],
    inputs=lambda st: {
        "techniques": st.lists(st.tuples(st.integers(0, 30), st.integers(0, 40)), min_size=0, max_size=6),
        "held_gb": st.integers(60, 130),
        "limit_gb": st.sampled_from([60, 72]),
    },
    draws=150,
    units={"result": "ms"},
    taught=taught,
    mistakes=[
        Mistake(
            "takes_one_alone",
            "You switched on one technique only. Two that are cheap together may beat one that is enough alone.",
            lambda techniques, *, held_gb, limit_gb: (
                0
                if held_gb <= limit_gb
                else min((ms for gb, ms in techniques if held_gb - gb <= limit_gb), default=None)
            ),
        ),
        Mistake(
            "takes_the_most_freeing_first",
            "You took the technique that frees most first. It may be the one that costs most.",
            lambda techniques, *, held_gb, limit_gb: _greedy(techniques, held_gb, limit_gb, key=lambda pair: -pair[0]),
        ),
        Mistake(
            "takes_the_cheapest_first",
            "You took the cheapest first until it fits. Some of these may then be of no use.",
            lambda techniques, *, held_gb, limit_gb: _greedy(techniques, held_gb, limit_gb, key=lambda pair: pair[1]),
        ),
        Mistake(
            "takes_the_best_ratio_first",
            "You took the best price of a gigabyte first until it fits. Gigabytes come in whole techniques.",
            lambda techniques, *, held_gb, limit_gb: _greedy(
                techniques, held_gb, limit_gb, key=lambda pair: pair[1] / pair[0] if pair[0] else float("inf")
            ),
        ),
        Mistake(
            "switches_all_on",
            "You switched everything on. What isn't needed only costs time.",
            lambda techniques, *, held_gb, limit_gb: (
                None
                if held_gb - sum(gb for gb, _ in techniques) > limit_gb
                else 0
                if held_gb <= limit_gb
                else sum(ms for _, ms in techniques)
            ),
        ),
        Mistake(
            "leaves_no_full_gpu",
            "You asked for more than is needed: a GPU may hold exactly its limit.",
            {"held_gb - freed <= limit_gb": "held_gb - freed < limit_gb"},
        ),
        Mistake(
            "says_zero_for_never",
            "You gave 0 where nothing is enough. Asked is None.",
            {"return best": "return best or 0"},
        ),
        Mistake(
            "takes_a_technique_twice",
            "You switched a technique on more than once. What is dropped is gone.",
            {
                "product((False, True)": "product((0, 1, 2)",
                "strict=True) if on]": "strict=True) for _ in range(on)]",
            },
        ),
        Mistake(
            "gives_the_gigabytes",
            "You gave what is freed. Asked is what it costs.",
            {"best = added": "best = freed"},
        ),
    ],
)


def _greedy(techniques, held_gb, limit_gb, *, key):  # type: ignore[no-untyped-def]
    """Take techniques in an order until the job fits."""
    cost = 0
    for gb, ms in sorted(techniques, key=key):
        if held_gb <= limit_gb:
            break
        held_gb, cost = held_gb - gb, cost + ms
    return cost if held_gb <= limit_gb else None
