"""Exercise: how to cut a sequence: the kind of exchange and the number of ranks that meet two limits."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import cache
from numbers import Integral
from random import Random
from typing import Any

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake
from snippets.domain import named
from snippets.parallelism.sequence.formulas import (
    KIND_ALIASES,
    KINDS,
    attention_flops,
    kv_blocks_held,
    ring_attention_starts_s,
)

HEAD, NUMBER_BYTES = 128, 2


def choose_context_parallel(
    *,
    tokens: int,
    query_heads: int,
    key_heads: int,
    most_ranks: int,
    tflop_per_s: int,
    gb_per_s: int,
    message_us: int,
    launch_us: int,
    limit_us: float,
    room_mb: float,
) -> tuple[str, int] | None:
    """Choose how to cut a sequence so that one layer's attention meets limits.

    Causal attention, forward, of heads of 128 numbers with 2 bytes each. The
    tokens are dealt zig-zag to R ranks, a power of two. Every rank computes
    its share of half of all pairs, 4 operations for each pair, query head and
    number of a head. Each stretch of computing that a rank begins costs a
    launch besides.

    - "ring": R equal stretches, one for each block of keys and values. During
      each but the last, a message brings the next block.
    - "all_gather": first R - 1 messages, each of a block, then one stretch.
    - "all_to_all": R divides the key heads. R - 1 messages with 1/R of a
      rank's queries, keys and values each, one stretch, R - 1 messages with
      1/R of its outputs.

    A message takes message_us and its bytes over the link. A block is what
    tokens / R tokens have of keys and values. A ring holds at most three
    blocks (two for R = 2), an all-gather R + 1, an all-to-all two; a single
    rank sends nothing and holds one, whatever the kind.

    Args:
        tokens: of the sequence.
        query_heads: of the layer.
        key_heads: of the layer, each with keys and values; divides query_heads.
        most_ranks: the largest R allowed, for all three kinds.
        tflop_per_s: what a rank computes, in 10¹² operations a second.
        gb_per_s: what it sends, in 10⁹ bytes a second.
        message_us: what a message takes besides, in µs.
        launch_us: what a stretch of computing takes besides, in µs.
        limit_us: the most that the attention may take, in µs.
        room_mb: the most keys and values that a rank may hold, in 10⁶ bytes.

    Returns:
        A kind and R. Any choice that meets both limits is right. ``None``
        where there is none.

    >>> choose_context_parallel(
    ...     tokens=4096, query_heads=1, key_heads=1, most_ranks=2,
    ...     tflop_per_s=1, gb_per_s=1, message_us=0, launch_us=0,
    ...     limit_us=2500, room_mb=3,
    ... )
    ('ring', 2)
    """
    R = 1
    while most_ranks >= R:
        x = tokens / R
        block = 2 * x * key_heads * 128 * 2  # bytes
        compute_us = 4 * tokens * x / 2 * query_heads * 128 / (tflop_per_s * 1e6)
        step_us, message = launch_us + compute_us / R, message_us + block / (gb_per_s * 1e3)
        exchanged = block + 2 * x * query_heads * 128 * 2
        turns_us = (R - 1) * (2 * message_us + exchanged / R / (gb_per_s * 1e3))
        designs = [
            ("ring", (R - 1) * max(step_us, message) + step_us, min(R, 3)),
            ("all_gather", (R - 1) * message + launch_us + compute_us, R + 1),
        ]  # a single rank is found as a ring
        if key_heads % R == 0:
            designs.append(("all_to_all", turns_us + launch_us + compute_us, 2))
        for kind, time_us, blocks in designs:
            if time_us <= limit_us and blocks * block <= room_mb * 1e6:
                return kind, R
        R *= 2
    return None


@cache
def cost(
    kind: str,
    R: int,
    tokens: int,
    query_heads: int,
    key_heads: int,
    most_ranks: int,
    tflop_per_s: int,
    gb_per_s: int,
    message_us: int,
    launch_us: int,
) -> tuple[float, float]:
    """Run a design step by step: how long it takes in µs, and how many MB of keys and values a rank holds."""
    x = tokens // R
    flops = attention_flops(pairs=x * tokens / 2, query_heads=query_heads, head_size=HEAD)
    compute_us = flops / (tflop_per_s * 1e6)

    def message_of(numbers: float) -> float:
        return message_us + numbers * HEAD * NUMBER_BYTES / (gb_per_s * 1e3)

    block = message_of(2 * x * key_heads)
    if R == 1:
        taken = launch_us + compute_us
    elif kind == "ring":
        taken = max(ring_attention_starts_s([[launch_us + compute_us / R] * R] * R, pass_s=block)[-1])
    elif kind == "all_gather":
        taken = sum([block] * (R - 1)) + launch_us + compute_us
    else:
        there, back = message_of(x * (query_heads + 2 * key_heads) / R), message_of(x * query_heads / R)
        taken = sum([there] * (R - 1)) + launch_us + compute_us + sum([back] * (R - 1))
    held = kv_blocks_held(kind, ranks=R) * 2 * x * key_heads * HEAD * NUMBER_BYTES / 1e6
    return taken, held


def designs(key_heads: int, most_ranks: int) -> Iterator[tuple[str, int]]:
    """Yield every design that there is."""
    R = 1
    while most_ranks >= R:
        yield from ((kind, R) for kind in KINDS if kind != "all_to_all" or key_heads % R == 0)
        R *= 2


def meets(taken: float, held: float, limit_us: float, room_mb: float) -> bool:
    """Say whether a design keeps to both limits, with a hair of room for rounding."""
    return taken <= limit_us * (1 + 1e-9) and held <= room_mb * (1 + 1e-9)


def one_that_meets(limit_us: float, room_mb: float, **inputs: int) -> str | None:
    """Run every design until one meets both limits."""
    for kind, R in designs(inputs["key_heads"], inputs["most_ranks"]):
        taken, held = cost(kind, R, **inputs)
        if meets(taken, held, limit_us, room_mb):
            such = f"{kind} on {_ranks(R)}: {taken:,.1f} µs, holds {held:,.2f} MB"
            return f"one that meets both limits, such as {such}"
    return None


def fault(chosen: tuple[str, int], *, limit_us: float, room_mb: float, **inputs: int) -> str:
    """Run the design that is chosen, and say what is wrong with it."""
    asked, R = chosen
    try:
        kind = named("kind", asked, KINDS, aliases=KIND_ALIASES)
    except ValueError:
        return f"a kind called {asked!r:.30}"
    if not isinstance(R, Integral) or R < 1:
        return f"{asked} on {R!r:.30} ranks, which is no whole number from 1 on"
    R = int(R)
    if R & (R - 1):
        return f"{asked} on {R} ranks, which is no power of two"
    if inputs["most_ranks"] < R:
        return f"{asked} on {R} ranks, of which no more than {inputs['most_ranks']} are allowed"
    if kind == "all_to_all" and inputs["key_heads"] % R:
        return f"all_to_all on {R} ranks, which do not divide the {inputs['key_heads']} key heads"
    taken, held = cost(kind, R, **inputs)
    if meets(taken, held, limit_us, room_mb):
        return ""
    took = f"{asked} on {_ranks(R)}: {taken:,.1f} µs, and {limit_us:,g} µs are allowed"
    return f"{took}; holds {held:,.2f} MB, and there is room for {room_mb:,g} MB"


def _ranks(R: int) -> str:
    return "1 rank" if R == 1 else f"{R} ranks"


def by_formulas(
    kind: str,
    R: int,
    inputs: Inputs,
    *,
    pairs: float = 0.5,
    turn: Callable[[float, float], float] = max,
    launch_each: bool = True,
    last_waits: bool = False,
    own_blocks: int = 1,
    queries_too: bool = True,
    values_too: bool = True,
) -> tuple[float, float]:
    """Return a design's µs and MB by the stub's formulas, with a slip in some of them."""
    link, x, launch_us = inputs["gb_per_s"] * 1e3, inputs["tokens"] / R, inputs["launch_us"]
    of_a_head = 2 * x * HEAD * NUMBER_BYTES
    block = of_a_head * inputs["key_heads"] * (1 if values_too else 0.5)
    flops = attention_flops(pairs=pairs * x * inputs["tokens"], query_heads=inputs["query_heads"], head_size=HEAD)
    compute_us, message_us = flops / (inputs["tflop_per_s"] * 1e6), inputs["message_us"] + block / link
    taken, blocks = launch_us + compute_us, 1
    if kind == "ring":
        step_us = (launch_us if launch_each else launch_us / R) + compute_us / R
        last_us = turn(step_us, message_us) if last_waits else step_us
        taken, blocks = (R - 1) * turn(step_us, message_us) + last_us, min(R, 3)
    elif kind == "all_gather" and R > 1:
        taken, blocks = (R - 1) * message_us + taken, R + own_blocks
    elif R > 1:
        turned = block + of_a_head * inputs["query_heads"] * queries_too
        taken, blocks = (R - 1) * (2 * inputs["message_us"] + turned / R / link) + taken, 2
    return taken, blocks * block / 1e6


def by_rule(*, whole: str = "key_heads", megabyte: float = 1e6, **slips: Any) -> Callable[..., bool]:
    """Return what judges a design by the stub's rules with a slip."""

    def accepts(chosen: tuple[str, int] | None, *, limit_us: float, room_mb: float, **inputs: int) -> bool:
        there = list(designs(inputs[whole], inputs["most_ranks"]))

        def meets_it(kind: str, R: int) -> bool:
            taken, held = by_formulas(kind, R, inputs, **slips)
            return meets(taken, held, limit_us, room_mb * megabyte / 1e6)

        if chosen is None:
            return not any(meets_it(kind, R) for kind, R in there)
        design = named("kind", chosen[0], KINDS, aliases=KIND_ALIASES), chosen[1]
        return design in there and meets_it(*design)

    return accepts


def cluster(tokens: int, heads: tuple[int, int], most_ranks: int, *rates: int) -> Inputs:
    names = ("tflop_per_s", "gb_per_s", "message_us", "launch_us")
    sizes = {"tokens": tokens, "query_heads": heads[0], "key_heads": heads[1], "most_ranks": most_ranks}
    return {**sizes, **dict(zip(names, rates, strict=True))}


def fronts(inputs: Inputs) -> Iterator[Inputs]:
    """Yield limits that a design just meets and no other beats in both, and limits just out of reach."""
    found = {cost(kind, R, **inputs) for kind, R in designs(inputs["key_heads"], inputs["most_ranks"])}
    for taken, held in sorted(found):
        if any(other != (taken, held) and other[0] <= taken and other[1] <= held for other in found):
            continue
        enough, too_little = round(held * 1.003, 3), round(held * 0.997, 3)
        for spare in (1.003, 0.997):
            yield {**inputs, "limit_us": round(taken * spare, 1), "room_mb": enough}
            yield {**inputs, "limit_us": round(taken * spare, 1), "room_mb": 1e6}
        for spare in (1.3, 2.0):  # what counts too much may still meet these
            yield {**inputs, "limit_us": round(taken * spare, 1), "room_mb": enough}
        yield {**inputs, "limit_us": round(taken * 1.003, 1), "room_mb": too_little}
        yield {**inputs, "limit_us": 1e9, "room_mb": too_little}


def clear(inputs: Inputs) -> bool:
    """Say whether no design lies so near to a limit that rounding could decide."""
    rest = {name: value for name, value in inputs.items() if name not in ("limit_us", "room_mb")}
    for kind, R in designs(inputs["key_heads"], inputs["most_ranks"]):
        taken, held = cost(kind, R, **rest)
        if abs(taken / inputs["limit_us"] - 1) < 1e-4 or abs(held / inputs["room_mb"] - 1) < 1e-4:
            return False
    return True


CLUSTERS = [
    cluster(16_384, (32, 8), 16, 400, 50, 20, 30),
    cluster(16_384, (32, 8), 16, 400, 3, 20, 30),
    cluster(4_096, (32, 8), 16, 400, 50, 20, 300),
    cluster(131_072, (16, 1), 64, 400, 50, 20, 30),
    cluster(131_072, (16, 1), 64, 400, 3, 5, 5),
    cluster(65_536, (64, 64), 32, 400, 25, 10, 20),
    cluster(8_192, (16, 16), 16, 400, 400, 2, 200),
    cluster(32_768, (8, 8), 32, 100, 12, 50, 10),
    cluster(1_048_576, (128, 8), 64, 500, 50, 20, 30),
    cluster(8_192, (64, 8), 8, 400, 2, 1, 1),
    cluster(4_096, (64, 4), 16, 400, 100, 1, 100),
    cluster(8_192, (12, 12), 16, 400, 12, 1, 20),
    cluster(4_096, (16, 1), 2, 400, 100, 1, 300),
    cluster(4_096, (16, 1), 8, 400, 100, 1, 300),
    cluster(8_192, (2, 2), 2, 400, 400, 1, 300),
    cluster(4_096, (8, 1), 8, 100, 100, 50, 100),
]

EXACT = cluster(62_500, (1, 1), 1, 1, 1, 0, 0)
"""A machine whose designs take whole microseconds and hold whole megabytes, so that limits can be met exactly."""

CHOICE = Choice("design", one_that_meets, fault, none="None, since no design meets both limits")


INPUTS: list[Inputs] = [limits for inputs in CLUSTERS for limits in fronts(inputs) if clear(limits)]


def drawn(chance: Random) -> list[Inputs]:
    """Return clusters with limits that a design just meets, and limits just out of reach, beside the book's own."""
    found: list[Inputs] = []
    for _ in range(10):
        key_heads = 2 ** chance.randint(0, 5)
        one = cluster(
            2 ** chance.randint(12, 18),
            (key_heads * chance.choice((1, 2, 4)), key_heads),
            2 ** chance.randint(2, 5),
            chance.choice((100, 400, 500)),
            chance.randint(2, 100),
            chance.randint(1, 50),
            chance.randint(5, 300),
        )
        several = [limits for limits in fronts(one) if clear(limits)]
        found += chance.sample(several, min(14, len(several)))
    return [*INPUTS, *found]


EXERCISE = Exercise(
    choose_context_parallel,
    number=4,
    asked="a kind of exchange and a number of ranks with which attention keeps to both limits",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        {**cluster(4_096, (1, 1), 2, 1, 1, 0, 0), "limit_us": 2_500.0, "room_mb": 3.0},
        {**cluster(4_096, (1, 1), 2, 1, 1, 0, 0), "limit_us": 4_500.0, "room_mb": 3.0},
        {**cluster(4_096, (1, 1), 2, 1, 1, 0, 0), "limit_us": 2_000.0, "room_mb": 9.0},
        {**EXACT, "limit_us": 1_000_000.0, "room_mb": 32.0},
        {**EXACT, "limit_us": 999_999.0, "room_mb": 32.0},
        {**EXACT, "most_ranks": 2, "limit_us": 500_000.0, "room_mb": 50.0},
        {**EXACT, "most_ranks": 2, "limit_us": 600_000.0, "room_mb": 32.0},
        {**cluster(8_192, (8, 8), 8, 400, 2, 1, 1), "limit_us": 4_000.0, "room_mb": 20.0},
        {**cluster(131_072, (128, 8), 16, 400, 50, 20, 30), "limit_us": 100_000.0, "room_mb": 120.0},
    ],
    inputs=INPUTS,
    drawn=drawn,
    mistakes=[
        Mistake(
            "forgets_the_mask",
            "Causal attention computes half of all pairs: this counts all of them.",
            {"4 * tokens * x / 2": "4 * tokens * x"},
            accepts=by_rule(pairs=1.0),
        ),
        Mistake(
            "adds_messages_to_a_ring",
            "A ring's messages travel while it computes: a step takes the longer of the two, not their sum.",
            {"max(step_us, message)": "(step_us + message)"},
            accepts=by_rule(turn=operator.add),
        ),
        Mistake(
            "launches_once",
            "A ring computes in R stretches, and each has its launch.",
            {"launch_us + compute_us / R, message_us": "(launch_us + compute_us) / R, message_us"},
            accepts=by_rule(launch_each=False),
        ),
        Mistake(
            "hides_a_message_more",
            "A ring passes R − 1 messages and computes R steps; the last step has no message beside it.",
            {"(R - 1) * max(step_us, message) + step_us": "R * max(step_us, message)"},
            accepts=by_rule(last_waits=True),
        ),
        Mistake(
            "holds_no_block_of_its_own",
            "An all-gather's result stands beside the rank's own block: R + 1 blocks.",
            {"compute_us, R + 1)": "compute_us, R)"},
            accepts=by_rule(own_blocks=0),
        ),
        Mistake(
            "cuts_more_than_the_heads",
            "An all-to-all gives each rank whole heads: R has to divide the key heads.",
            {"if key_heads % R == 0:": "if query_heads % R == 0:"},
            accepts=by_rule(whole="query_heads"),
        ),
        Mistake(
            "sends_keys_and_values_alone",
            "An all-to-all turns queries and outputs too, not keys and values alone.",
            {"exchanged = block + 2 * x * query_heads * 128 * 2": "exchanged = block"},
            accepts=by_rule(queries_too=False),
        ),
        Mistake(
            "takes_2_to_the_20_for_a_megabyte",
            "This takes a design that holds a little more than there is room for: a megabyte has 10⁶ bytes, not 2²⁰.",
            {"room_mb * 1e6": "room_mb * 2**20"},
            accepts=by_rule(megabyte=2**20),
        ),
        Mistake(
            "forgets_the_values",
            "A block has keys and values: this counts one of them.",
            {"block = 2 * x": "block = x"},
            accepts=by_rule(values_too=False),
        ),
        Mistake("says_one_thing", "This is right for one input only.", lambda **_: ("ring", 2)),
    ],
)
