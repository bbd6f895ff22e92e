"""Exercise: over how many ranks a prompt can be cut before they wait for keys and values."""

from __future__ import annotations

from typing import Any

from grader.exercise import Exercise, Inputs, Mistake
from snippets.parallelism.sequence.formulas import ring_attention_starts_s

HEAD = 128


def most_ring_ranks(
    *,
    tokens: int,
    query_heads: int,
    key_heads: int,
    tflop_per_s: float,
    gb_per_s: float,
) -> int:
    """Return the most ranks of a causal ring that never wait for a message.

    The sequence is cut zig-zag, so that each step computes half of its pairs.
    A number has 2 bytes, keys and values have the same size, latency is left
    out. Each rank has tokens / R tokens, also where that is no whole number. A
    message that arrives just as a step ends isn't waited for.

    Args:
        tokens: of the whole sequence.
        query_heads: of a rank.
        key_heads: of a rank, each with keys and values; divides query_heads.
        tflop_per_s: what a rank computes, in 10¹² operations a second.
        gb_per_s: what it sends in one direction, in 10⁹ bytes a second.

    Returns:
        The largest R. A single rank sends nothing, so that R is at least 1.

    >>> most_ring_ranks(
    ...     tokens=4100, query_heads=1, key_heads=1, tflop_per_s=1, gb_per_s=1
    ... )
    2
    """
    least = 2 * key_heads / query_heads * tflop_per_s * 1e12 / (gb_per_s * 1e9)
    return max(1, int(tokens / least))


def by_running(*, tokens: int, query_heads: int, key_heads: int, tflop_per_s: float, gb_per_s: float) -> int:
    """Run rings, and look for the last whose end is that of computing alone."""

    def waits(ranks: int) -> bool:
        x = tokens / ranks
        step_s = 4 * x * x / 2 * query_heads * HEAD / (tflop_per_s * 1e12)
        message_s = 2 * x * key_heads * HEAD * 2 / (gb_per_s * 1e9)
        end = max(ring_attention_starts_s([[step_s] * 3] * 3, pass_s=message_s)[-1])
        return end > 3 * step_s * (1 + 1e-9)

    low, high = 1, 2  # low does not wait
    while not waits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if waits(middle) else (middle, high)
    return low


def prompt(tokens: int, query_heads: int, key_heads: int, tflop_per_s: float, gb_per_s: float) -> Inputs:
    rates = {"tflop_per_s": tflop_per_s, "gb_per_s": gb_per_s}
    return {"tokens": tokens, "query_heads": query_heads, "key_heads": key_heads, **rates}


def clear(inputs: Inputs) -> bool:
    """Say whether rounding cannot decide: the bound is not within a thousandth of a whole number."""
    bound = inputs["tokens"] * inputs["query_heads"] * inputs["gb_per_s"]
    bound /= 2 * inputs["key_heads"] * inputs["tflop_per_s"] * 1e3
    return abs(bound - round(bound)) > 1e-3 * max(bound, 1)


def prompts(st: Any) -> Any:
    return st.builds(
        lambda tokens, keys, group, speed, link: prompt(tokens, keys * group, keys, speed, link),
        st.integers(1_000, 2_000_000),
        st.integers(1, 8),
        st.sampled_from([1, 2, 3, 4, 8, 16]),
        st.sampled_from([12.5, 60.0, 125.0, 400.0, 540.0]),
        st.sampled_from([1.25, 3.0, 12.5, 25.0, 50.0]),
    ).filter(clear)


def taught() -> str:
    long, short = (most_ring_ranks(**prompt(tokens, 16, 1, 540, 3)) for tokens in (1_000_000, 128_000))
    return (
        f"{long} ranks for a million tokens, and {short} for 128,000, over the same cheap network. A block's "
        "computing grows with its square, its message in proportion to it. So a rank needs the same number of tokens, "
        "however long the text: long texts forgive slow links."
    )


EXERCISE = Exercise(
    most_ring_ranks,
    number=2,
    level="easy",
    asked="the most ranks of a causal zig-zag ring that never wait for a message",
    expected=by_running,
    examples=[
        prompt(4100, 1, 1, 1, 1),
        prompt(5000, 1, 1, 1, 1),
        prompt(3000, 1, 1, 1, 1),
        prompt(1500, 1, 1, 1, 1),
        prompt(20_100, 8, 2, 1, 1),
        prompt(1011, 16, 1, 1, 50),
        prompt(131_072, 16, 1, 400, 50),
        prompt(1_000_000, 16, 1, 540, 3),
        prompt(128_000, 16, 1, 540, 3),
        prompt(1_100_100, 16, 1, 12.5, 50),
        prompt(1000, 8, 1, 100, 50),  # a tie, which usual orders of the arithmetic hit exactly
    ],
    inputs=prompts,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_mask",
            "These are twice as many as there can be. Zig-zag, the mask leaves half of a step's pairs, so there is "
            "half the time; and a message has keys and values, of 2 bytes each.",
            {"2 * key_heads / query_heads": "key_heads / query_heads"},
        ),
        Mistake(
            "halves_the_mask_twice",
            "There can be twice as many. The mask halves a step's pairs once; a pair takes 4 operations for each "
            "number of a query head; and a message of 2-byte numbers counts once, where it is sent.",
            {"2 * key_heads / query_heads": "4 * key_heads / query_heads"},
        ),
        Mistake(
            "forgets_shared_keys",
            "Each head of keys is used by several heads of queries: more computing for the same message.",
            {"2 * key_heads / query_heads": "2"},
        ),
        Mistake(
            "swaps_the_heads",
            "Queries stay at home and keys travel: more heads of queries make it easier to hide, more of keys harder.",
            {"key_heads / query_heads": "query_heads / key_heads"},
        ),
        Mistake(
            "rounds_up",
            "With that many ranks each has a little too few tokens, so that they wait: round down.",
            {"int(tokens / least)": "-int(-tokens // least)"},
        ),
        Mistake(
            "waits_at_a_tie",
            "With exactly as many tokens as needed, a message arrives just as the step ends: nobody waits.",
            {"int(tokens / least)": "-int(-tokens // least) - 1"},
        ),
        Mistake(
            "takes_powers_of_two",
            "Any number of ranks is allowed, not powers of two alone.",
            {"int(tokens / least)": "2 ** max(0, int(tokens / least).bit_length() - 1)"},
        ),
        Mistake(
            "allows_no_rank",
            "One rank alone sends nothing and waits for nothing: the answer is at least 1.",
            {"max(1, int(tokens / least))": "int(tokens / least)"},
        ),
        Mistake(
            "returns_tokens",
            "That is how many tokens a rank has to have; asked is over how many ranks the prompt can be cut.",
            {"max(1, int(tokens / least))": "int(least)"},
        ),
    ],
)
