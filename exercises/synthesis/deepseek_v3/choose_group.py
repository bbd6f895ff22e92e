"""Exercise: how many GPUs to a layer, where a group frees memory and waits."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def choose_group(
    groups: list[tuple[int, int, int]],
    *,
    state_mb: int,
    kept_mb: int,
    dropped_mb: int,
    memory_mb: int,
    work_ms: int,
    again_ms: int,
    bubble_ms: int,
) -> tuple[int, bool]:
    """Return how many GPUs share a layer in the fastest step that fits.

    Args:
        groups: at least one, in any order; for each the GPUs to a layer, the
            milliseconds of a step that they wait for each other, and those
            that smaller matmuls take longer. A group of one has 0 and 0.
        state_mb: MB of weights, gradients and optimizer state; no group cuts
            them here.
        kept_mb: MB of activations that one GPU to a layer keeps.
        dropped_mb: MB of these that can be dropped, at most all.
        memory_mb: MB that a GPU may fill.
        work_ms: milliseconds that a GPU works in a step, with nothing dropped.
        again_ms: what a GPU's step takes longer if tensors are dropped,
            the same for every group.
        bubble_ms: bubble with one GPU to a layer; a group's is a part of it,
            one over its GPUs, however long they wait.

    Returns:
        GPUs to a layer, and whether tensors are dropped (``True``). Of
        equally fast ways the one with fewer GPUs to a layer, and of these
        the one that keeps all. (0, False) if nothing fits.

    >>> choose_group(
    ...     [(1, 0, 0), (2, 900, 400)], state_mb=20, kept_mb=80,
    ...     dropped_mb=40, memory_mb=70, work_ms=17_000, again_ms=400,
    ...     bubble_ms=2_000,
    ... )
    (2, False)
    """
    ways = []
    for size, waits, narrower in groups:
        for drops in (False, True):
            held = state_mb + Fraction(kept_mb - drops * dropped_mb, size)
            if held <= memory_mb:
                busy = work_ms + drops * again_ms + waits + narrower
                time = busy + Fraction(bubble_ms, size)
                ways.append((time, size, drops))
    return min(ways)[1:] if ways else (0, False)


def by_elimination(
    groups: list[tuple[int, int, int]],
    *,
    state_mb: int,
    kept_mb: int,
    dropped_mb: int,
    memory_mb: int,
    work_ms: int,
    again_ms: int,
    bubble_ms: int,
) -> tuple[int, bool]:
    """Hold each way against every other, by what one saves and the other doesn't."""
    ways = [(group, drops) for group in groups for drops in (False, True)]

    def fits(way: tuple[tuple[int, int, int], bool]) -> bool:
        (size, _, _), drops = way
        own = kept_mb - (dropped_mb if drops else 0)
        return size * (memory_mb - state_mb) >= own

    def better(one: tuple[tuple[int, int, int], bool], other: tuple[tuple[int, int, int], bool]) -> bool:
        (a, *extra), drops = one
        (b, *others), also = other
        gain = Fraction(bubble_ms, b) - Fraction(bubble_ms, a)
        gain += sum(others) - sum(extra) + again_ms * (int(also) - int(drops))
        return gain > 0 or (gain == 0 and (a, drops) < (b, also))

    left = [way for way in ways if fits(way)]
    for way in left:
        if all(way == other or better(way, other) for other in left):
            return way[0][0], way[1]
    return 0, False


way_of = inputs_for(choose_group)
H800 = [(1, 0, 0), (2, 1035, 450), (4, 3187, 1350), (8, 7821, 3151)]
H100 = [(1, 0, 0), (2, 475, 450), (4, 1508, 1350), (8, 3903, 3151)]
OWN = (22_500, 85_800, 41_100)
ON_H800 = way_of(H800, *OWN, 72_000, 17_195, 381, 2060)
ON_H100 = way_of(H100, *OWN, 72_000, 17_195, 381, 2060)
ON_A_LARGE = way_of(H800, *OWN, 127_000, 17_195, 381, 2060)


def taught() -> str:
    def step_s(groups: list[tuple[int, int, int]], size: int, drops: bool) -> float:
        waits = next(sum(own[1:]) for own in groups if own[0] == size)
        return (17_195 + 381 * drops + waits + 2060 / size + 290) / 1000

    alone, pairs, fast = step_s(H800, 1, True), step_s(H800, 2, False), step_s(H100, 2, False)
    return (
        f"On H800s one GPU to a layer takes {alone:.1f} s and a pair {pairs:.1f} s: too close to call. On H100s a pair "
        f"takes {fast:.1f} s, {100 * (1 - fast / alone):.0f}% of the step less. Eight GPUs to a layer would cost "
        f"{100 * (step_s(H800, 8, False) / alone - 1):.0f}% on H800s: that is what the right choice is worth. With 141 "
        f"GB of memory nothing has to be dropped, and one GPU to a layer takes {step_s(H800, 1, False):.1f} s."
    )


_SIZES = (1, 2, 3, 4, 6)


def _groups(st):  # type: ignore[no-untyped-def]
    own = st.tuples(st.integers(0, 30), st.integers(0, 15))
    return st.tuples(
        st.lists(st.sampled_from(_SIZES), min_size=1, unique=True), st.lists(own, min_size=5, max_size=5)
    ).map(lambda drawn: [(size, *((0, 0) if size == 1 else drawn[1][place])) for place, size in enumerate(drawn[0])])


EXERCISE = Exercise(
    choose_group,
    number=4,
    level="hard",
    asked="how many GPUs share a layer in the fastest step that fits, and whether tensors are dropped",
    expected=by_elimination,
    examples=[
        way_of([(1, 0, 0), (2, 900, 400)], 20, 80, 40, 70, 17_000, 400, 2_000),
        way_of([(1, 0, 0)], 20, 80, 10, 70, 1000, 10, 0),
        way_of([(1, 0, 0), (2, 10, 0)], 20, 80, 40, 60, 1000, 30, 40),
        way_of([(1, 0, 0), (2, 20, 0)], 20, 60, 40, 80, 1000, 30, 40),
        way_of([(1, 0, 0), (2, 40, 0)], 20, 60, 40, 80, 1000, 0, 40),
        way_of([(2, 20, 5), (4, 1, 1)], 50, 60, 40, 55, 1000, 3, 40),
        # groups of two or more that drop, against another way that fits
        way_of([(2, 200, 100), (4, 900, 100)], 30, 90, 80, 40, 17_000, 500, 2400),
        way_of([(2, 600, 200), (4, 800, 0)], 40, 40, 40, 50, 17_000, 400, 1200),
        way_of([(2, 600, 200), (4, 800, 0)], 40, 40, 40, 40, 17_000, 400, 1200),
        way_of([(2, 200, 700), (3, 900, 700)], 30, 120, 70, 70, 17_000, 500, 1200),
        # near ties: the bubble doesn't grow with the waits
        way_of([(2, 200, 400), (4, 900, 200)], 10, 20, 20, 30, 17_000, 400, 2000),
        way_of([(1, 0, 0), (2, 500, 100)], 20, 90, 80, 50, 17_000, 500, 1204),
        # ties: fewer GPUs first, even if they drop; and the larger group first in the list
        way_of([(1, 0, 0), (2, 800, 400)], 30, 80, 70, 70, 17_000, 0, 2400),
        way_of([(12, 300, 600), (4, 500, 200)], 10, 40, 0, 50, 17_000, 100, 1200),
        ON_A_LARGE,
        ON_H100,
        ON_H800,
    ],
    inputs=lambda st: st.tuples(
        _groups(st),
        st.integers(0, 20),
        st.integers(0, 60),
        st.integers(0, 60),
        st.integers(0, 60),
        st.integers(50, 100),
        st.integers(0, 25),
        st.integers(0, 60),
    ).map(lambda own: way_of(own[0], own[1], own[2], min(own[2], own[3]), *own[4:])),
    draws=200,
    taught=taught,
    mistakes=[
        Mistake(
            "bubble_stays",
            "You kept the bubble. A group's micro-batches are shorter, so the pipeline fills and drains sooner.",
            {"Fraction(bubble_ms, size)": "bubble_ms"},
        ),
        Mistake(
            "cuts_the_state_too",
            "You cut the state among the group. Here it's given that no group cuts it.",
            {
                "state_mb + Fraction(kept_mb - drops * dropped_mb, size)": (
                    "Fraction(state_mb + kept_mb - drops * dropped_mb, size)"
                )
            },
        ),
        Mistake(
            "drops_for_nothing",
            "You left out the time in which dropped tensors are recomputed.",
            {"drops * again_ms + ": ""},
        ),
        Mistake(
            "recomputes_a_part",
            "You divided the time of recomputing among the group. Each GPU recomputes as much in a step as before.",
            {"drops * again_ms": "Fraction(drops * again_ms, size)"},
        ),
        Mistake(
            "recomputes_more_often",
            "You multiplied the time of recomputing by the group. More micro-batches are also smaller ones.",
            {"drops * again_ms": "drops * again_ms * size"},
        ),
        Mistake(
            "divides_the_work",
            "You divided the step's work among the group. With the same GPUs and batch each works as much as before.",
            {"busy = work_ms": "busy = Fraction(work_ms, size)"},
        ),
        Mistake(
            "bubble_grows_with_the_waits",
            "You let the bubble grow with the waits, as the chapter's equation does. Here it's given as a t-th.",
            {"Fraction(bubble_ms, size)": "Fraction(bubble_ms * busy, size * work_ms)"},
        ),
        Mistake(
            "keeps_first_then_fewer",
            "Of equally fast ways you took the one that keeps all. The one with fewer GPUs comes first.",
            {"(time, size, drops))": "(time, drops, size))", "min(ways)[1:]": "(min(ways)[2], min(ways)[1])"},
        ),
        Mistake(
            "first_in_the_list",
            "Of equally fast ways you took the first in the list, which may have more GPUs.",
            {"min(ways)[1:]": "min(ways, key=lambda way: way[0])[1:]"},
        ),
        Mistake(
            "never_drops",
            "You didn't consider to drop tensors.",
            {"(False, True)": "(False,)"},
        ),
        Mistake(
            "always_drops",
            "You dropped tensors even where all fit.",
            {"(False, True)": "(True,)"},
        ),
        Mistake(
            "forgets_narrow_matmuls",
            "You left out that smaller matmuls take longer.",
            {"waits + narrower": "waits"},
        ),
        Mistake(
            "forgets_the_waits",
            "You left out that the group waits.",
            {"waits + narrower": "narrower"},
        ),
        Mistake(
            "needs_room_to_spare",
            "You refused what fills the memory exactly. That fits.",
            {"held <= memory_mb": "held < memory_mb"},
        ),
        Mistake(
            "takes_the_least_memory",
            "You took the way that holds least. Memory that is left over buys nothing.",
            {"ways.append((time, size, drops))": "ways.append((held, size, drops))"},
        ),
        Mistake(
            "activations_stay",
            "You kept the activations whole. Each GPU of a group keeps its part.",
            {"Fraction(kept_mb - drops * dropped_mb, size)": "(kept_mb - drops * dropped_mb)"},
        ),
        Mistake(
            "drops_in_ties",
            "Of two ways that take equally long you took the one that drops.",
            {"(time, size, drops))": "(time, size, not drops))", "min(ways)[1:]": "(min(ways)[1], not min(ways)[2])"},
        ),
    ],
)
