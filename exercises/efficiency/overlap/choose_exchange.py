"""Exercise: which way to exchange leaves a layer fastest, or whether to let it wait."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def choose_exchange(
    ways: list[tuple[int, int, bool]],
    *,
    compute_us: int,
    exchange_mb: int,
    sms: int,
) -> int:
    """Return the number of the way to exchange with which a layer is fastest.

    A way takes some SMs and then sends at its rate. Beside the matmuls it
    keeps its SMs for as long as the layer takes, and the matmuls share the
    others evenly. In turn, the exchange runs first, and then the matmuls on
    all SMs.

    Args:
        ways: at least one; for each the SMs that it takes, fewer than all, the
            megabytes that it sends in a millisecond, at least 1, and whether
            it runs beside the matmuls (``True``) or in turn with them. A copy
            engine takes 0 SMs.
        compute_us: the matmuls' time on all SMs, in microseconds, at least 0.
        exchange_mb: megabytes that the layer sends, at least 0.
        sms: SMs of the GPU.

    Returns:
        The number of the way, from 0; of equally fast ones the first.

    >>> choose_exchange(
    ...     [(20, 40, False), (20, 40, True)],
    ...     compute_us=26_000, exchange_mb=623, sms=132,
    ... )
    1
    """
    times = []
    for taken, rate, beside in ways:
        sending = Fraction(1000 * exchange_mb, rate)
        if beside:
            times.append(max(sending, Fraction(compute_us * sms, sms - taken)))
        else:
            times.append(sending + compute_us)
    return times.index(min(times))


def by_work(ways: list[tuple[int, int, bool]], *, compute_us: int, exchange_mb: int, sms: int) -> int:
    """Compare each two ways by what is left undone of the one when the other has ended."""

    def done(way: tuple[int, int, bool], end: Fraction) -> bool:
        taken, rate, beside = way
        sent = rate * end >= 1000 * exchange_mb
        if beside:
            return sent and (sms - taken) * end >= sms * compute_us
        return rate * (end - compute_us) >= 1000 * exchange_mb

    def moments(way: tuple[int, int, bool]) -> list[Fraction]:
        taken, rate, beside = way
        lanes = [Fraction(1000 * exchange_mb, rate), Fraction(compute_us)]
        return [lanes[0], lanes[1] / (1 - Fraction(taken, sms))] if beside else [sum(lanes, Fraction(0))]

    candidates = sorted({moment for way in ways for moment in moments(way)})
    for end in candidates:
        for number, way in enumerate(ways):
            if done(way, end):
                return number
    raise AssertionError("every way ends")


ways_of = inputs_for(choose_exchange)
OFFERS = [(20, 40, False), (20, 40, True), (6, 40, True), (0, 20, True)]
OWN = ways_of(OFFERS, 25_600, 623, 132)
SHORT = ways_of([(20, 40, False), (20, 40, True)], 25_600, 80, 132)


def taught() -> str:
    took = []
    for taken, rate, beside in OFFERS:
        sending = 623 / rate
        took.append(max(sending, 25.6 * 132 / (132 - taken)) if beside else sending + 25.6)
    return (
        f"In turn the layer takes {took[0]:.1f} ms, beside 20 SMs {took[1]:.1f}, beside 6 SMs that send as much "
        f"{took[2]:.1f}, and with a copy engine at half the rate {took[3]:.1f}. The right choice is worth "
        f"{100 * (1 - took[2] / took[1]):.0f}% of the layer against the usual one. "
        "With 80 MB to send, in turn beats 20 SMs."
    )


def _as_if(**changed: object) -> object:
    """Return the choice of one who reads the ways differently."""

    def choose(ways, *, compute_us, exchange_mb, sms):  # type: ignore[no-untyped-def]
        read = [(changed.get("taken", way[0]), way[1], changed.get("beside", way[2])) for way in ways]
        return choose_exchange(read, compute_us=compute_us, exchange_mb=exchange_mb, sms=sms)

    return choose


EXERCISE = Exercise(
    choose_exchange,
    number=4,
    level="hard",
    asked="the way to exchange with which a layer is fastest",
    expected=by_work,
    examples=[
        ways_of([(20, 40, False), (20, 40, True)], 26_000, 623, 132),
        ways_of([(5, 1, True), (5, 1, False)], 1000, 0, 10),
        ways_of([(1, 10, True), (2, 20, True)], 0, 60, 4),
        ways_of([(2, 10, True), (2, 10, True)], 10_000, 50, 10),
        ways_of([(0, 1, True), (5, 1000, True)], 10_000, 20, 10),
        ways_of([(5, 1000, True), (0, 1, True)], 10_000, 20, 10),
        ways_of([(5, 1000, True), (0, 2, False)], 10_000, 20, 10),
        ways_of([(0, 2, False), (5, 1000, True)], 10_000, 20, 10),
        ways_of([(0, 3, True), (8, 1000, True)], 111, 1, 12),
        ways_of([(0, 3, True), (8, 1000, True)], 222, 2, 12),
        ways_of([(6, 1000, True), (0, 3, True)], 167, 1, 12),
        ways_of([(0, 3, True), (8, 1000, True), (0, 7, True)], 112, 1, 12),
        SHORT,
        OWN,
        ways_of([(0, 20, True), (0, 40, True)], 26_000, 20, 132),
        ways_of([(20, 1000, True), (0, 100, False)], 10_000, 179, 132),
    ],
    inputs=lambda st: {
        "ways": st.lists(st.tuples(st.integers(0, 11), st.integers(1, 12), st.booleans()), min_size=1, max_size=5),
        "compute_us": st.integers(0, 40).map(lambda count: 500 * count),
        "exchange_mb": st.integers(0, 120),
        "sms": st.integers(12, 24),
    },
    draws=150,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_squeeze",
            "You let the matmuls keep all SMs. What runs beside them takes some, for as long as the layer takes.",
            {"Fraction(compute_us * sms, sms - taken)": "compute_us"},
        ),
        Mistake(
            "squeezes_in_turn_too",
            "You took SMs away from matmuls that run in turn. They begin when the exchange is over, and have all SMs.",
            {"sending + compute_us": "sending + Fraction(compute_us * sms, sms - taken)"},
        ),
        Mistake(
            "always_beside",
            "You left out the ways in turn. Where there is little to send, SMs kept all along cost more than waiting.",
            lambda ways, *, compute_us, exchange_mb, sms: min(
                range(len(ways)),
                key=lambda i: (
                    not ways[i][2],
                    max(Fraction(1000 * exchange_mb, ways[i][1]), Fraction(compute_us * sms, sms - ways[i][0])),
                ),
            ),
        ),
        Mistake(
            "takes_the_fastest_link",
            "You chose as if all ran in turn, or had no matmuls beside them: you took the way that sends fastest.",
            lambda ways, *, compute_us, exchange_mb, sms: max(range(len(ways)), key=lambda i: ways[i][1]),
        ),
        Mistake(
            "takes_the_fewest_sms",
            "You took the way with the fewest SMs. It may send so slowly that the matmuls wait.",
            lambda ways, *, compute_us, exchange_mb, sms: min(range(len(ways)), key=lambda i: ways[i][0]),
        ),
        Mistake(
            "adds_the_lanes",
            "You added both lanes of what runs beside. The longer one counts.",
            {
                "max(sending, Fraction(compute_us * sms, sms - taken))": "sending + "
                "Fraction(compute_us * sms, sms - taken)"
            },
        ),
        Mistake(
            "mixes_units",
            "You forgot that the rate is per millisecond and the matmuls' time in microseconds.",
            {"1000 * exchange_mb": "exchange_mb"},
        ),
        Mistake(
            "takes_the_last",
            "Of equally fast ways you took the last. Take the first.",
            {"times.index(min(times))": "len(times) - 1 - times[::-1].index(min(times))"},
        ),
        Mistake(
            "squeezes_by_the_share_taken",
            "You made the matmuls longer by the share of the SMs that is taken. They take Z/(Z − z) times as long.",
            {"Fraction(compute_us * sms, sms - taken)": "compute_us * (1 + Fraction(taken, sms))"},
        ),
        Mistake(
            "hands_the_sms_back",
            "You gave the SMs back when the exchange was over. Here it keeps them for as long as the layer takes.",
            {"Fraction(compute_us * sms, sms - taken)": "compute_us + Fraction(taken, sms) * sending"},
        ),
        Mistake(
            "turns_the_flag_round",
            "You let run in turn what runs beside the matmuls, and the other way round.",
            {"if beside:": "if not beside:"},
        ),
        Mistake(
            "waits_for_the_shorter",
            "You took the lane that ends first. All is done when the last one is.",
            {"max(sending, Fraction": "min(sending, Fraction"},
        ),
        Mistake(
            "counts_from_one",
            "You counted the ways from 1. They are counted from 0.",
            {"times.index(min(times))": "times.index(min(times)) + 1"},
        ),
        Mistake(
            "takes_all_for_beside",
            "You let every way run beside the matmuls. Some run in turn with them.",
            _as_if(beside=True),  # type: ignore[arg-type]
        ),
    ],
)
