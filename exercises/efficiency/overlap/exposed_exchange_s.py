"""Exercise: how long the matmuls wait for an exchange that runs beside them on some of the SMs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from grader.exercise import Exercise, Mistake, inputs_for


def exposed_exchange_s(
    *,
    compute_s: float,
    total_bytes: float,
    comm_sms: int,
    sms: int,
    sm_bytes_per_s: float,
    link_bytes_per_s: float,
) -> float:
    """Return for how long an exchange goes on after the matmuls beside it.

    Both begin together. The exchange keeps its SMs all along, and the matmuls
    share the others evenly. SMs that copy add up until the link is full.

    Args:
        compute_s: the matmuls' time on all SMs, at least 0.
        total_bytes: bytes that the GPU sends, at least 0.
        comm_sms: SMs of the exchange, at least 1 and fewer than all.
        sms: SMs of the GPU.
        sm_bytes_per_s: bytes that one SM copies in a second.
        link_bytes_per_s: bytes that the link carries in a second.

    Returns:
        Seconds; 0 if the matmuls end later or at the same moment.

    >>> exposed_exchange_s(
    ...     compute_s=4.0, total_bytes=20.0, comm_sms=2, sms=10,
    ...     sm_bytes_per_s=1.0, link_bytes_per_s=8.0,
    ... )
    5.0
    """
    rate = min(comm_sms * sm_bytes_per_s, link_bytes_per_s)
    squeezed = compute_s * sms / (sms - comm_sms)
    return max(0.0, total_bytes / rate - squeezed)


def by_halving(
    *,
    compute_s: float,
    total_bytes: float,
    comm_sms: int,
    sms: int,
    sm_bytes_per_s: float,
    link_bytes_per_s: float,
) -> float:
    """Find each lane's end as the first moment at which its work is done, SM by SM."""
    work, moved = Fraction(compute_s) * sms, Fraction(total_bytes)
    copied = sum((Fraction(sm_bytes_per_s) for _ in range(comm_sms)), Fraction(0))
    left = sum(1 for sm in range(sms) if sm >= comm_sms)

    def first(done: Fraction, wanted: Fraction) -> Fraction:
        low, high = Fraction(0), Fraction(1)
        while done * high < wanted:
            high *= 2
        for _step in range(90):
            middle = (low + high) / 2
            low, high = (low, middle) if done * middle >= wanted else (middle, high)
        return high

    carried = copied if copied < Fraction(link_bytes_per_s) else Fraction(link_bytes_per_s)
    over, computed = first(carried, moved), first(Fraction(left), work)
    return 0.0 if over - computed < Fraction(1, 10**15) * (1 + over) else float(over - computed)


split_of = inputs_for(exposed_exchange_s)


def taught() -> str:
    own: dict[str, Any] = {
        "compute_s": 25.6e-3,
        "total_bytes": 623e6,
        "sms": 132,
        "sm_bytes_per_s": 2e9,
        "link_bytes_per_s": 40e9,
    }
    waits = {g: 1e3 * exposed_exchange_s(comm_sms=g, **own) for g in (4, 8, 12)}
    return (
        f"With 4 SMs the question's layer waits for {waits[4]:.0f} ms, with 8 for {waits[8]:.0f} ms and with 12 for "
        f"{waits[12]:.0f} ms. From there on more SMs hide nothing more: they only slow the matmuls."
    )


EXERCISE = Exercise(
    exposed_exchange_s,
    number=1,
    level="easy",
    asked="for how long an exchange goes on after the matmuls beside it",
    expected=by_halving,
    examples=[
        split_of(4.0, 20.0, 2, 10, 1.0, 8.0),
        split_of(8.0, 20.0, 2, 10, 1.0, 4.0),
        split_of(1.0, 20.0, 8, 10, 1.0, 4.0),
        split_of(0.0, 12.0, 3, 4, 1.0, 1.0),
        split_of(6.0, 0.0, 3, 4, 1.0, 1.0),
        split_of(25.6e-3, 623e6, 4, 132, 2e9, 40e9),
    ],
    inputs=lambda st: {
        "compute_s": st.integers(0, 30).map(float),
        "total_bytes": st.integers(0, 400).map(float),
        "comm_sms": st.integers(1, 11),
        "sms": st.integers(12, 24),
        "sm_bytes_per_s": st.sampled_from([0.5, 1.0, 2.0, 5.0]),
        "link_bytes_per_s": st.sampled_from([1.0, 4.0, 10.0, 30.0, 200.0]),
    },
    draws=80,
    units={"result": "s"},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_squeeze",
            "You let the matmuls keep all SMs. The exchange has some of them, and what they take hides more of it.",
            {"compute_s * sms / (sms - comm_sms)": "compute_s"},
        ),
        Mistake(
            "forgets_the_link",
            "You let the SMs send as much as they copy. The link carries no more than its own rate.",
            {"min(comm_sms * sm_bytes_per_s, link_bytes_per_s)": "comm_sms * sm_bytes_per_s"},
        ),
        Mistake(
            "forgets_the_sms",
            "You took the link's rate. A few SMs don't fill it.",
            {"min(comm_sms * sm_bytes_per_s, link_bytes_per_s)": "link_bytes_per_s"},
        ),
        Mistake(
            "takes_one_sm",
            "You took what one SM copies. Those of the exchange add up.",
            {"min(comm_sms * sm_bytes_per_s": "min(sm_bytes_per_s"},
        ),
        Mistake(
            "takes_the_larger_rate",
            "You took the faster of copying and carrying. The slower one sets the pace.",
            {"min(comm_sms": "max(comm_sms"},
        ),
        Mistake(
            "adds_the_lanes",
            "You gave the time of the exchange alone. What runs beside the matmuls doesn't keep anybody waiting.",
            {" - squeezed)": ")"},
        ),
        Mistake(
            "gives_less_than_nothing",
            "Your wait is negative where the matmuls end later. Then nobody waits: 0.",
            {"max(0.0, total_bytes / rate - squeezed)": "total_bytes / rate - squeezed"},
        ),
        Mistake(
            "turns_it_round",
            "You gave how long the matmuls go on after the exchange. Asked is the other way round.",
            {"total_bytes / rate - squeezed": "squeezed - total_bytes / rate"},
        ),
        Mistake(
            "turns_the_share_round",
            "You made the matmuls faster: times (Z − z)/Z. With fewer SMs they take longer, Z/(Z − z) times as long.",
            {"compute_s * sms / (sms - comm_sms)": "compute_s * (sms - comm_sms) / sms"},
        ),
        Mistake(
            "takes_the_distance",
            "You gave how far apart the two ends are. Where the matmuls end later nobody waits for the exchange: 0.",
            {"max(0.0, total_bytes / rate - squeezed)": "abs(total_bytes / rate - squeezed)"},
        ),
        Mistake(
            "squeezes_by_the_share_taken",
            "You made the matmuls longer by z/Z. With Z − z of Z SMs they take Z/(Z − z) times as long.",
            {"compute_s * sms / (sms - comm_sms)": "compute_s * (1 + comm_sms / sms)"},
        ),
    ],
)
