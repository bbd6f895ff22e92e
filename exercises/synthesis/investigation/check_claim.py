"""Exercise: whether what an estimator timed can exist at all, and on how many GPUs it would."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake, inputs_for


def check_claim(
    *,
    parameters: int,
    element_bytes: int,
    cache_bytes: int,
    reserve_bytes: int,
    capacity_bytes: int,
    claimed_gpus: int,
    most_gpus: int,
) -> tuple[bool, int]:
    """Return whether the claimed GPUs are enough, and the fewest that are.

    Weights and cache are cut evenly among the GPUs. Each GPU needs a reserve
    besides, for what isn't cut.

    Args:
        parameters: of the model.
        element_bytes: of a weight.
        cache_bytes: of all keys and values, at least 0.
        reserve_bytes: of each GPU, at least 0.
        capacity_bytes: of each GPU.
        claimed_gpus: for which an estimator printed a time, even if those
            are more than the most.
        most_gpus: that one copy may be cut among.

    Returns:
        Whether it fits on the claimed GPUs; and the smallest of 1, 2, 4, 8, …
        up to the most on which it fits, 0 if there is none.

    >>> check_claim(
    ...     parameters=50, element_bytes=2, cache_bytes=20, reserve_bytes=10,
    ...     capacity_bytes=40, claimed_gpus=1, most_gpus=8,
    ... )
    (False, 4)
    """
    total = parameters * element_bytes + cache_bytes
    room = capacity_bytes - reserve_bytes
    fits = total <= claimed_gpus * room
    gpus = 1
    while gpus <= most_gpus:
        if total <= gpus * room:
            return fits, gpus
        gpus *= 2
    return fits, 0


def byte_by_byte(
    *,
    parameters: int,
    element_bytes: int,
    cache_bytes: int,
    reserve_bytes: int,
    capacity_bytes: int,
    claimed_gpus: int,
    most_gpus: int,
) -> tuple[bool, int]:
    """Compare what a GPU holds with what it has, in shares of a byte, for each number of GPUs."""
    from fractions import Fraction

    def held(gpus: int) -> Fraction:
        cut = [Fraction(element_bytes, gpus) * parameters, Fraction(cache_bytes, gpus)]
        return sum(cut, Fraction(reserve_bytes))

    allowed = [gpus for gpus in range(1, most_gpus + 1) if gpus & (gpus - 1) == 0]
    good = [gpus for gpus in allowed if held(gpus) <= capacity_bytes]
    return held(claimed_gpus) <= capacity_bytes, min(good, default=0)


case = inputs_for(check_claim)
OWN = case(405_853_388_800, 2, 135_000_000_000, 4_000_000_000, 80_000_000_000, 1, 64)


def taught() -> str:
    _, gpus = check_claim(**OWN)
    return (
        f"Weights alone are {2 * 405_853_388_800 / 1e9:.0f} GB, ten times what one GPU has; with a cache of 135 GB it "
        f"takes {gpus} GPUs. An estimator that printed milliseconds for one of them had timed nothing."
    )


EXERCISE = Exercise(
    check_claim,
    number=5,
    asked="whether a claim fits, and the fewest GPUs that do",
    expected=byte_by_byte,
    examples=[
        case(50, 2, 20, 10, 40, 1, 8),
        case(50, 2, 20, 10, 40, 4, 8),
        case(50, 2, 20, 10, 40, 4, 2),
        case(50, 2, 20, 40, 40, 4, 8),
        case(50, 2, 20, 50, 40, 4, 8),
        case(30, 1, 0, 0, 30, 1, 1),
        case(50, 2, 0, 15, 40, 3, 6),
        case(10, 2, 70, 10, 40, 3, 4),
        case(100, 1, 0, 0, 1, 1, 128),
        OWN,
    ],
    inputs=lambda st: {
        "parameters": st.integers(1, 100),
        "element_bytes": st.integers(1, 4),
        "cache_bytes": st.integers(0, 100),
        "reserve_bytes": st.integers(0, 30),
        "capacity_bytes": st.integers(10, 80),
        "claimed_gpus": st.integers(1, 16),
        "most_gpus": st.integers(1, 16),
    },
    draws=150,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_reserve",
            "You let weights and cache have the whole memory. Each GPU keeps a reserve.",
            {"capacity_bytes - reserve_bytes": "capacity_bytes"},
        ),
        Mistake(
            "cuts_the_reserve",
            "You cut the reserve among the GPUs. Each of them needs all of it.",
            {
                "cache_bytes\n": "cache_bytes + reserve_bytes\n",
                "capacity_bytes - reserve_bytes": "capacity_bytes",
            },
        ),
        Mistake(
            "forgets_the_cache",
            "You counted the weights alone. Keys and values need memory too.",
            {"parameters * element_bytes + cache_bytes": "parameters * element_bytes"},
        ),
        Mistake(
            "cuts_the_weights_only",
            "You left the cache whole on each GPU. It's cut like the weights.",
            {
                "parameters * element_bytes + cache_bytes": "parameters * element_bytes",
                "capacity_bytes - reserve_bytes": "capacity_bytes - reserve_bytes - cache_bytes",
            },
        ),
        Mistake(
            "counts_parameters_for_bytes",
            "A weight has more than one byte.",
            {"parameters * element_bytes +": "parameters +"},
        ),
        Mistake(
            "any_number_of_gpus",
            "Only 1, 2, 4, 8 and so on are allowed.",
            {"gpus *= 2": "gpus += 1"},
        ),
        Mistake(
            "beyond_the_most",
            "You went beyond the most that one copy may be cut among.",
            {"gpus <= most_gpus": "gpus <= 64 * most_gpus"},
        ),
        Mistake(
            "stops_before_the_most",
            "You stopped before the most that one copy may be cut among. That many are allowed.",
            {"gpus <= most_gpus": "gpus < most_gpus"},
        ),
        Mistake(
            "full_is_too_full",
            "What fills the memory exactly still fits.",
            {
                "total <= claimed_gpus * room": "total < claimed_gpus * room",
                "total <= gpus * room": "total < gpus * room",
            },
        ),
        Mistake(
            "believes_the_claim",
            "You called every claim right. Compare the bytes.",
            {"total <= claimed_gpus * room": "True"},
        ),
    ],
)
