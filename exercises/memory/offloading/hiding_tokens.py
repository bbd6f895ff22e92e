"""Exercise: the fewest tokens beside whose backward pass an offloaded update hides."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Inputs, Mistake
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


def machine(speed: int, down: int, host: int, up: int, update: int) -> Inputs:
    return {
        "flops_per_s": speed,
        "down_bytes_per_s": down,
        "host_bytes_per_s": host,
        "up_bytes_per_s": up,
        "update_bytes": update,
    }


_LEAST_BANDWIDTH = "size, rate = min(lanes, key=lambda lane: lane[1]); return -(-size * flops_per_s // (4 * rate))"


def decided_by_no_tie(inputs: Inputs) -> bool:
    """Whether the least number of tokens is no whole number before it is rounded up: there, rounding would decide."""
    lanes = [(2, "down_bytes_per_s"), (inputs["update_bytes"], "host_bytes_per_s"), (2, "up_bytes_per_s")]
    return max(Fraction(size * inputs["flops_per_s"], 4 * inputs[lane]) for size, lane in lanes).denominator > 1


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
            "looks_at_the_link_alone",
            "The host's memory is a lane too: the update reads and writes it.",
            {"        (update_bytes, host_bytes_per_s),\n": ""},
        ),
        Mistake(
            "looks_at_the_host_alone",
            "The two directions of the link are lanes too.",
            {"        (2, down_bytes_per_s),\n": "", "        (2, up_bytes_per_s),\n": ""},
        ),
        Mistake(
            "moves_the_state",
            "The optimizer's state stays on the host: 2 bytes a parameter go down and 2 come up.",
            {"(2, down": "(12, down", "(2, up": "(12, up"},
        ),
        Mistake(
            "one_lane_for_both_ways",
            "The link's two directions carry at the same time: compare each with the backward pass.",
            lambda *, flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes: max(
                -(-Fraction(update_bytes * flops_per_s, 4 * host_bytes_per_s) // 1),
                -(-(Fraction(2, down_bytes_per_s) + Fraction(2, up_bytes_per_s)) * flops_per_s / 4 // 1),
            ),
        ),
        Mistake(
            "takes_the_least_bandwidth",
            "The slowest lane is that of the longest time, bytes over bandwidth, not that of the least bandwidth.",
            {"return max(-(-size * flops_per_s // (4 * rate)) for size, rate in lanes)": _LEAST_BANDWIDTH},
        ),
        Mistake(
            "takes_the_fastest_lane",
            "All three lanes have to be done in time: the slowest of them decides.",
            {"return max(": "return min("},
        ),
        Mistake(
            "always_28_bytes",
            "How much the host reads and writes for each parameter is given: update_bytes.",
            {"(update_bytes, host": "(28, host"},
        ),
        Mistake(
            "moves_four_bytes_each_way",
            "Each direction of the link moves 2 bytes a parameter.",
            {"(2, down": "(4, down", "(2, up": "(4, up"},
        ),
        Mistake(
            "forgets_the_way_up",
            "The new weights have to come up, too.",
            {"        (2, up_bytes_per_s),\n": ""},
        ),
        Mistake(
            "forgets_the_way_down",
            "The gradients have to go down, too.",
            {"        (2, down_bytes_per_s),\n": ""},
        ),
        Mistake(
            "rounds_to_the_nearest",
            "With so few tokens a lane is still slower: round up, not to the nearest.",
            {"-(-size * flops_per_s // (4 * rate))": "(size * flops_per_s + 2 * rate) // (4 * rate)"},
        ),
        Mistake("fits_one_input", "This is right for one input only.", lambda **_: 35),
    ],
)
