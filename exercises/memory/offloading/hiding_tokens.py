"""Exercise: the fewest tokens beside whose backward pass an offloaded update hides."""

from __future__ import annotations

import math
from fractions import Fraction

from grader.exercise import Exercise, Inputs, Mistake, inputs_for
from snippets.memory.offloading.timeline import offloaded_step


def hiding_tokens(
    *,
    flops_per_s: int,
    down_bytes_per_s: int,
    host_bytes_per_s: int,
    up_bytes_per_s: int,
    update_bytes: int,
) -> int:
    """Return the fewest tokens with which no lane is slower than the GPU.

    While the GPU makes a layer's backward pass, 4 operations for each token
    and parameter, the layer whose backward pass came before has its 16-bit
    gradient sent down, the one before that is updated by the host, and the
    one before that has its 16-bit weights sent up. None of the three may take
    longer than the backward pass; it may take just as long.

    Args:
        flops_per_s: speed of the GPU.
        down_bytes_per_s: bandwidth of the link to the host.
        host_bytes_per_s: bandwidth of the host's memory.
        up_bytes_per_s: bandwidth of the link from the host.
        update_bytes: what the host reads and writes for each parameter.

    Returns:
        Tokens, a whole number.

    >>> hiding_tokens(
    ...     flops_per_s=100, down_bytes_per_s=10, host_bytes_per_s=20,
    ...     up_bytes_per_s=10, update_bytes=28,
    ... )
    35
    """
    lanes = [
        (2, down_bytes_per_s),
        (update_bytes, host_bytes_per_s),
        (2, up_bytes_per_s),
    ]
    return max(-(-size * flops_per_s // (4 * rate)) for size, rate in lanes)


def first_that_hides(
    *, flops_per_s: int, down_bytes_per_s: int, host_bytes_per_s: int, up_bytes_per_s: int, update_bytes: int
) -> int:
    """Look for the tokens with which steps of 2 and of 3 layers differ by what a layer computes."""
    down, up = Fraction(2, down_bytes_per_s), Fraction(2, up_bytes_per_s)
    host = Fraction(update_bytes, host_bytes_per_s)

    def hides(tokens: int) -> bool:
        forward = Fraction(2 * tokens, flops_per_s)
        two, three = (
            offloaded_step(
                layers=layers,
                forward_s=forward,
                backward_s=2 * forward,
                gradients_s=down,
                update_s=host,
                new_weights_s=up,
            ).end_s
            for layers in (2, 3)
        )
        return three - two == 3 * forward

    low, high = 0, 1
    while not hides(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if hides(middle) else (middle, high)
    return high


machine = inputs_for(hiding_tokens)


def decided_by_no_tie(inputs: Inputs) -> bool:
    """Whether the least number of tokens is no whole number before it is rounded up: the examples have such ties."""
    lanes = [(2, "down_bytes_per_s"), (inputs["update_bytes"], "host_bytes_per_s"), (2, "up_bytes_per_s")]
    return max(Fraction(size * inputs["flops_per_s"], 4 * inputs[lane]) for size, lane in lanes).denominator > 1


def one_lane_for_both_ways(
    *, flops_per_s: int, down_bytes_per_s: int, host_bytes_per_s: int, up_bytes_per_s: int, update_bytes: int
) -> int:
    link = Fraction(2, down_bytes_per_s) + Fraction(2, up_bytes_per_s)
    host = Fraction(update_bytes, host_bytes_per_s)
    return math.ceil(max(link, host) * flops_per_s / 4)


def divides_before_it_multiplies(
    *, flops_per_s: int, down_bytes_per_s: int, host_bytes_per_s: int, up_bytes_per_s: int, update_bytes: int
) -> int:
    slowest = max(2 / down_bytes_per_s, update_bytes / host_bytes_per_s, 2 / up_bytes_per_s)
    return math.ceil(slowest * flops_per_s / 4)


EXERCISE = Exercise(
    hiding_tokens,
    number=1,
    level="easy",
    asked="the fewest tokens with which no lane is slower than the backward pass",
    expected=first_that_hides,
    examples=[
        machine(100, 10, 20, 10, 28),
        machine(100, 3, 1000, 10, 28),
        machine(100, 10, 1000, 3, 28),
        machine(80, 10, 28, 10, 28),
        machine(81, 10, 28, 10, 28),
        machine(100, 30, 20, 25, 28),
        machine(20_001, 5000, 1_000_000, 6000, 10),
        machine(20, 30, 400, 30, 10),
        machine(50, 30, 25, 30, 28),
        machine(51, 30, 3, 30, 28),
        machine(58, 30, 14, 30, 28),
        machine(12, 30, 7, 30, 28),
        machine(494_700_000_000_000, 63_015_384_615, 307_200_000_000, 63_015_384_615, 28),
    ],
    inputs=lambda st: st.builds(
        machine,
        st.integers(50, 3000),
        st.integers(1, 30),
        st.integers(5, 400),
        st.integers(1, 30),
        st.integers(10, 40),
    ).filter(decided_by_no_tie),
    draws=30,
    units={"result": "tokens"},
    mistakes=[
        Mistake(
            "adds_the_lanes",
            "The three lanes work at the same time, on three different layers: the slowest decides, not their sum.",
            {"return max(": "return sum("},
        ),
        Mistake(
            "counts_the_forward_pass",
            "A backward pass takes 4 operations for each token and parameter; 6 are the whole step's.",
            {"(4 * rate)": "(6 * rate)"},
        ),
        Mistake(
            "takes_the_forward_pass",
            "Gradients are made in the backward pass, which takes 4 operations for each token and parameter, not 2.",
            {"(4 * rate)": "(2 * rate)"},
        ),
        Mistake(
            "rounds_down",
            "With so few tokens a lane is still slower: round up.",
            {"-(-size * flops_per_s // (4 * rate))": "size * flops_per_s // (4 * rate)"},
        ),
        Mistake(
            "always_one_more",
            "A lane may take just as long as the backward pass: no token more is needed.",
            {"-(-size * flops_per_s // (4 * rate))": "size * flops_per_s // (4 * rate) + 1"},
        ),
        Mistake(
            "divides_before_it_multiplies",
            "Floats are rounded: 28 / 25 * 50 / 4 comes to a little more than 14. Compute with integers.",
            divides_before_it_multiplies,
        ),
        Mistake(
            "looks_at_the_link_alone",
            "The host's memory is a lane too: the update reads and writes it.",
            {"        (update_bytes, host_bytes_per_s),\n": ""},
        ),
        Mistake(
            "one_lane_for_both_ways",
            "The link's two directions carry at the same time: compare each with the backward pass.",
            one_lane_for_both_ways,
        ),
        Mistake(
            "always_28_bytes",
            "How much the host reads and writes for each parameter is given: update_bytes.",
            {"(update_bytes, host": "(28, host"},
        ),
    ],
)
