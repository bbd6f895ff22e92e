"""Exercise: which offer of machines ends a run in time at the least price, failures included."""

from __future__ import annotations

from math import sqrt

from grader.exercise import Exercise, Mistake, inputs_for


def choose_offer(
    offers: list[tuple[int, int, int, int]],
    *,
    tokens_billion: int,
    deadline_hours: int,
    gpu_mtbf_hours: int,
    checkpoint_s: int,
    restart_s: int,
) -> int | None:
    """Return the number of the cheapest offer that ends a run in time.

    Failures lengthen a run by a share of its useful time, to first order and
    at the best interval between checkpoints: the square root of twice the
    checkpoint's time over the time between failures, and the time of a restart
    over the time between failures. Only GPUs that work interrupt the run; all
    that are rented are paid for, in proportion to the time.

    Args:
        offers: at least one; for each the GPUs that are paid for, those of
            them that work, at least 1, the tokens that one of these does in a
            second, at least 1, and the cents that a paid GPU costs in an hour.
        tokens_billion: billions of tokens of the run.
        deadline_hours: hours that it may take; exactly these are in time.
        gpu_mtbf_hours: hours between failures of one GPU.
        checkpoint_s: for how long a checkpoint stops the run, at least 1.
        restart_s: seconds from a failure until the run goes on, at least 0.

    Returns:
        The number of the offer, from 0, of equally cheap ones the first;
        ``None`` if none is in time.

    >>> choose_offer(
    ...     [(8, 8, 1000, 200), (16, 16, 1000, 200)], tokens_billion=3,
    ...     deadline_hours=100, gpu_mtbf_hours=50_000, checkpoint_s=10,
    ...     restart_s=600,
    ... )
    1
    """
    best, least = None, float("inf")
    for number, (paid, working, tokens_per_s, cents) in enumerate(offers):
        useful_hours = tokens_billion * 1e9 / (working * tokens_per_s) / 3600
        between_s = 3600 * gpu_mtbf_hours / working
        overhead = sqrt(2 * checkpoint_s / between_s) + restart_s / between_s
        hours = useful_hours * (1 + overhead)
        price = hours * paid * cents
        if hours <= deadline_hours and price < least:
            best, least = number, price
    return best


def by_trying(
    offers: list[tuple[int, int, int, int]],
    *,
    tokens_billion: int,
    deadline_hours: int,
    gpu_mtbf_hours: int,
    checkpoint_s: int,
    restart_s: int,
) -> int | None:
    """Find each offer's best interval by narrowing it down, in seconds, and look at the offers from the cheapest on."""
    rows = []
    for number, (paid, working, rate, cents) in enumerate(offers):
        failures_per_s = working / (gpu_mtbf_hours * 3600)

        def lost(interval: float, often: float = failures_per_s) -> float:
            return checkpoint_s / interval + (interval / 2 + restart_s) * often

        low, high = 1e-3, 1e12
        for _ in range(200):
            left, right = low * (high / low) ** 0.4, low * (high / low) ** 0.6
            low, high = (low, right) if lost(left) < lost(right) else (left, high)
        seconds = tokens_billion * 10**9 / rate / working * (1 + lost(low))
        rows.append((seconds * paid * cents, number, seconds))
    late_s = deadline_hours * 3600 * (1 + 1e-9)  # the narrowing leaves a little
    return next((number for _, number, seconds in sorted(rows) if seconds <= late_s), None)


case = inputs_for(choose_offer)
OFFERS = [(512, 512, 1350, 200), (216, 192, 2800, 474), (144, 128, 2800, 474), (288, 256, 2800, 474)]
LLAMA = (50_677, 10, 600)
OWN = case(OFFERS, 3000, 24 * 60, *LLAMA)
LATE = case(OFFERS, 3000, 24 * 45, *LLAMA)


def taught() -> str:
    return (
        "With 60 days the 512 H100s are cheapest, 1.2 million dollars. The three racks cost 28% more, because they "
        "take longer at the same price an hour. With 50 days only the four racks are in time, at 28% more too. "
        "Failures add a percent to either: at a few hundred GPUs they decide nothing but close calls."
    )


def _priced(change):  # type: ignore[no-untyped-def]
    """Return the choice of one who reads an offer differently."""

    def choose(offers, **job):  # type: ignore[no-untyped-def]
        return choose_offer([change(*each) for each in offers], **job)

    return choose


EXERCISE = Exercise(
    choose_offer,
    number=4,
    level="medium",
    asked="the offer that ends the run in time at the least price",
    expected=by_trying,
    examples=[
        case([(8, 8, 1000, 200), (16, 16, 1000, 200)], 3, 100, 50_000, 10, 600),
        case([(8, 8, 1000, 200), (16, 16, 1000, 200)], 3, 200, 50_000, 10, 600),
        case([(8, 8, 1000, 200)], 3, 100, 50_000, 10, 600),
        case([(9, 8, 1000, 180), (8, 8, 1000, 200)], 1, 1000, 50_000, 10, 600),
        case([(9, 8, 1000, 100), (8, 8, 1000, 120)], 1, 1000, 50_000, 10, 600),
        case([(100, 100, 100, 100), (10, 10, 1000, 1050)], 10, 1000, 200, 60, 3000),
        case([(4, 4, 500, 100), (4, 4, 500, 100)], 1, 1000, 1000, 10, 10),
        case([(4, 4, 1000, 100)], 1, 70, 1000, 60, 600),
        case([(50, 50, 100, 100), (50, 50, 111, 200)], 1, 58, 40, 200, 3000),
        case([(40, 10, 500, 100)], 1, 100, 40, 200, 3000),
        case([(40, 10, 500, 100)], 1, 75, 40, 200, 3000),
        case([(1, 1, 1000, 1)], 36, 15_000, 1, 450, 0),
        case([(1, 1, 1000, 1)], 36, 13_000, 1, 450, 0),
        case([(1, 1, 1000, 1)], 36, 11_000, 1, 450, 0),
        case([(1, 1, 1000, 1)], 3600, 1_499_999, 1, 450, 0),
        case([(1, 1, 416_600, 1)], 1, 1, 1, 450, 0),
        case([(7, 7, 1000, 1)], 100, 9218, 1, 450, 0),
        case([(48, 48, 359, 495), (55, 23, 357, 371), (43, 43, 275, 384)], 1, 428, 300, 1, 300),
        case([(45, 45, 330, 367), (43, 43, 201, 234), (34, 34, 299, 346)], 4, 879, 300, 200, 3000),
        case([(42, 41, 368, 313), (29, 22, 115, 97), (34, 34, 247, 416)], 3, 848, 40, 1, 3000),
        OWN,
        LATE,
    ],
    inputs=lambda st: {
        "offers": st.lists(
            st.tuples(st.integers(1, 60), st.integers(1, 50), st.integers(100, 400), st.integers(50, 500)).map(
                lambda offer: (max(offer[0], offer[1]), *offer[1:])
            ),
            min_size=1,
            max_size=4,
        ),
        "tokens_billion": st.integers(1, 5),
        "deadline_hours": st.integers(50, 1500),
        "gpu_mtbf_hours": st.sampled_from([40, 300, 2000]),
        "checkpoint_s": st.sampled_from([1, 20, 200]),
        "restart_s": st.sampled_from([0, 300, 3000]),
    },
    draws=200,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_failures",
            "You left out the failures. They make a run longer, and it may then be late.",
            {"useful_hours * (1 + overhead)": "useful_hours"},
        ),
        Mistake(
            "takes_the_fastest",
            "You took the offer that ends first. Asked is the cheapest of those in time.",
            {"price = hours * paid * cents": "price = hours"},
        ),
        Mistake(
            "pays_for_working_gpus_alone",
            "You paid only for the GPUs that work. Those that stand by are rented too.",
            {"hours * paid * cents": "hours * working * cents"},
        ),
        Mistake(
            "lets_all_gpus_work",
            "You let all paid GPUs work. Some only stand by.",
            _priced(lambda paid, working, rate, cents: (paid, paid, rate, cents)),
        ),
        Mistake(
            "ignores_the_deadline",
            "You took the cheapest offer, in time or not.",
            {"hours <= deadline_hours and price": "price"},
        ),
        Mistake(
            "compares_prices_of_an_hour",
            "You compared what an hour costs. A cheap hour may be a long run.",
            {"price = hours * paid * cents": "price = paid * cents"},
        ),
        Mistake(
            "lets_one_gpu_fail",
            "You took the time between failures of one GPU. A run stops when any of its GPUs fails.",
            {"3600 * gpu_mtbf_hours / working": "3600 * gpu_mtbf_hours"},
        ),
        Mistake(
            "forgets_the_restart",
            "You left out the restarts.",
            {" + restart_s / between_s": ""},
        ),
        Mistake(
            "forgets_checkpoints",
            "You counted restarts only. Checkpoints and the work that is lost since the last one come on top.",
            {"sqrt(2 * checkpoint_s / between_s) + ": ""},
        ),
        Mistake(
            "counts_half_of_the_loss",
            "You counted checkpoints or the work that is lost since the last one, not both. At the best interval they "
            "cost equally much, and together the square root of twice a checkpoint over the time between failures.",
            {"sqrt(2 * checkpoint_s / between_s)": "sqrt(2 * checkpoint_s / between_s) / 2"},
        ),
        Mistake(
            "mixes_hours_and_seconds",
            "You compared a checkpoint's seconds with hours between failures.",
            {"3600 * gpu_mtbf_hours / working": "gpu_mtbf_hours / working"},
        ),
        Mistake(
            "takes_the_last",
            "Of equally cheap offers you took the last. Take the first.",
            {"price < least": "price <= least"},
        ),
    ],
)
