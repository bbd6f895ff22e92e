"""Exercise: among how many ranks a product's shared dimension may be cut before the network is the limit."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from grader.exercise import Exercise, Inputs, Mistake
from snippets.simulation.machine import AllReduce, Machine, Program


def most_ranks(
    *,
    k: int,
    element_bytes: int,
    peak_flops_per_s: int,
    link_bytes_per_s: int,
) -> int:
    """Return among how many ranks a product may be cut along k.

    Each of R ranks does an Rth of the 2mkn operations. Then they add up
    their partial products, m × n numbers, by a ring all-reduce. The sum
    must not take longer than the operations; equally long is allowed.

    Args:
        k: the shared dimension of the whole product.
        element_bytes: bytes of one number of a partial product.
        peak_flops_per_s: operations of one rank in a second.
        link_bytes_per_s: what one rank sends in a second, one direction.

    Returns:
        The largest R that is allowed; 1 if there is no larger one.

    >>> most_ranks(
    ...     k=8, element_bytes=2, peak_flops_per_s=2, link_bytes_per_s=1
    ... )
    3
    """
    # k / (w (R - 1)) operations a byte sent must be at least P / β.
    return 1 + k * link_bytes_per_s // (element_bytes * peak_flops_per_s)


@cache
def numbers_sent(ranks: int) -> Fraction:
    """Let the simulated machine all-reduce one number for each rank; return what a rank sends, for each number."""

    def program(rank: int) -> Program:
        return (yield AllReduce([float(rank)] * ranks))

    machine = Machine(ranks, number_bytes=1)
    machine.run([program(rank) for rank in range(ranks)])
    return Fraction(max(machine.account.sent_bytes), ranks)


def counted_up(*, k: int, element_bytes: int, peak_flops_per_s: int, link_bytes_per_s: int) -> int:
    """Add ranks one by one until what the simulated machine sends takes longer than the operations."""
    ranks = 1
    while True:
        computes = Fraction(2 * k, (ranks + 1) * peak_flops_per_s)
        sends = numbers_sent(ranks + 1) * element_bytes / link_bytes_per_s
        if sends > computes:
            return ranks
        ranks += 1


def cut(k: int, element_bytes: int, peak: int, link: int) -> Inputs:
    return {"k": k, "element_bytes": element_bytes, "peak_flops_per_s": peak, "link_bytes_per_s": link}


def has_few_ranks(inputs: Inputs) -> bool:
    """Say whether 32 ranks are too many, so that the simulated machine is never much larger."""
    numbers, operations = numbers_sent(32) * inputs["element_bytes"], Fraction(2 * inputs["k"], 32)
    return numbers / inputs["link_bytes_per_s"] > operations / inputs["peak_flops_per_s"]


RULE = "1 + k * link_bytes_per_s // (element_bytes * peak_flops_per_s)"


def taught() -> str:
    nvlink, adapter = (most_ranks(**cut(53248, 2, 989_400_000_000_000, link * 10**9)) for link in (450, 50))
    return (
        f"Over NVLink {nvlink} H100s may share the matmul, over one NDR adapter each only {adapter}. More ranks have "
        "fewer operations each, but the bytes that each of them sends for the sum do not become fewer."
    )


EXERCISE = Exercise(
    most_ranks,
    number=1,
    level="easy",
    asked="the largest number of ranks at which the all-reduce takes no longer than the operations",
    expected=counted_up,
    examples=[
        cut(8, 2, 2, 1),
        cut(2, 2, 4, 1),
        cut(9, 1, 3, 2),
        cut(14336, 2, 989_400_000_000_000, 450_000_000_000),
        cut(53248, 2, 989_400_000_000_000, 50_000_000_000),
        cut(53248, 2, 989_400_000_000_000, 450_000_000_000),
    ],
    inputs=lambda st: st.builds(
        cut, st.integers(1, 60), st.sampled_from([1, 2, 4]), st.integers(1, 12), st.integers(1, 6)
    ).filter(has_few_ranks),
    units={"result": "ranks"},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_first",
            "This is R − 1, the number of neighbours that a sum crosses; the first rank counts too.",
            {RULE: RULE.removeprefix("1 + ")},
        ),
        Mistake(
            "counts_half",
            "You count half of the seconds. An all-reduce has two phases, each sending (R − 1)/R of the numbers, "
            "and the link's rate is one direction's already.",
            {"k * link": "2 * k * link"},
        ),
        Mistake(
            "counts_multiplications_only",
            "A multiplication and an addition are two operations: the product has 2mkn of them.",
            {"// (element_bytes": "// (2 * element_bytes"},
        ),
        Mistake(
            "counts_numbers_for_bytes",
            "The link's rate is in bytes, and each number has element_bytes of them.",
            {"(element_bytes * peak_flops_per_s)": "peak_flops_per_s"},
        ),
        Mistake(
            "must_be_shorter",
            "Equally long is allowed: the sum must not take longer than the operations.",
            {RULE: "-(-k * link_bytes_per_s // (element_bytes * peak_flops_per_s)) or 1"},
        ),
        Mistake(
            "rounds_up",
            "With this many ranks the sum takes longer than the operations: round down.",
            {RULE: "1 - (-k * link_bytes_per_s // (element_bytes * peak_flops_per_s))"},
        ),
    ],
)
