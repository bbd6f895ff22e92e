"""Exercise: a code in which a gradient crosses a link in time, with its table and its coder counted."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation

DESIGN, KNOWN, NONE, LATE = "design", "one that there is", "None", "seconds beyond the limit"
Design = tuple[str, int]


def choose_code(
    counts: Sequence[int],
    *,
    numbers: int,
    raw_bits: int,
    link_bytes_per_s: float,
    coder_bytes_per_s: float | None,
    chunks: int,
    longest_block: int,
    limit_s: float,
) -> tuple[str, int] | None:
    """Choose a code in which a rounded gradient arrives in time, without loss.

    A gradient's numbers are rounded to one of several symbols. The designs are

    - ``("raw", 1)``: raw_bits for each number;
    - ``("fixed", 1)``: words of one length, the fewest bits that can tell all
      symbols apart;
    - ``("huffman", k)``, where there is a coder, for k from 1 to
      longest_block: Huffman's code for blocks of k numbers, which are taken as
      independent. A table goes first: one byte for each possible block.

    Raw and fixed take their bytes over the link's bandwidth. In Huffman's code
    the sender codes, the link carries and the receiver decodes; all three cut
    the gradient (and the bytes sent, with the table) into equal chunks, and
    each passes a chunk on when done with it. Coder and decoder both take
    raw bytes, raw_bits / 8 for each number, at coder_bytes_per_s.

    Args:
        counts: how often each symbol came in a sample, each at least 1; two
            symbols or more.
        numbers: in the gradient; blocks may be cut anywhere, so it sends
            numbers / k words of mean length.
        raw_bits: of a number as it lies in memory.
        link_bytes_per_s: bandwidth.
        coder_bytes_per_s: of the coder; None where there is none.
        chunks: at least 1.
        longest_block: at least 1.
        limit_s: when the last chunk must be decoded.

    Returns:
        Name and block of any design that keeps to the limit; None if none does.

    >>> choose_code([2, 1, 1], numbers=80, raw_bits=16, link_bytes_per_s=1.0,
    ...             coder_bytes_per_s=None, chunks=1, longest_block=2,
    ...             limit_s=30.0)
    ('fixed', 1)
    """
    fixed_bits = math.ceil(math.log2(len(counts)))
    for name, bits in (("fixed", fixed_bits), ("raw", raw_bits)):
        if numbers * bits / 8 / link_bytes_per_s <= limit_s:
            return name, 1
    if coder_bytes_per_s is None:
        return None
    coded_s = numbers * raw_bits / 8 / coder_bytes_per_s / chunks
    for block in range(1, longest_block + 1):
        weights = [math.prod(word) for word in product(counts, repeat=block)]
        table_bytes = len(weights)
        heapq.heapify(weights)
        merged = 0
        while len(weights) > 1:
            both = heapq.heappop(weights) + heapq.heappop(weights)
            merged += both
            heapq.heappush(weights, both)
        bits = merged / sum(counts) ** block / block
        sent_s = (table_bytes + numbers * bits / 8) / link_bytes_per_s / chunks
        if 2 * coded_s + sent_s + (chunks - 1) * max(coded_s, sent_s) <= limit_s:
            return "huffman", block
    return None


@cache
def block_bits(counts: tuple[int, ...], block: int) -> float:
    """Mean bits of a number in the best code for blocks: words from two queues, each with a length of its own."""
    weights = sorted(math.prod(word) for word in product(counts, repeat=block))
    leaves, joined = deque((weight, [place]) for place, weight in enumerate(weights)), deque[tuple[int, list[int]]]()
    lengths = [0] * len(weights)
    while len(leaves) + len(joined) > 1:
        lightest = []
        for _ in range(2):
            queue = joined if not leaves or (joined and joined[0][0] < leaves[0][0]) else leaves
            lightest.append(queue.popleft())
        members = lightest[0][1] + lightest[1][1]
        for place in members:
            lengths[place] += 1
        joined.append((lightest[0][0] + lightest[1][0], members))
    return sum(map(math.prod, zip(weights, lengths, strict=True))) / sum(weights) / block


def arrival_s(stages: Sequence[float], chunks: int) -> float:
    """Pass chunks from stage to stage, each stage one at a time, and return when the last leaves the last stage."""
    free = [0.0] * len(stages)
    for _ in range(chunks):
        ready = 0.0
        for place, busy_s in enumerate(stages):
            ready = free[place] = max(ready, free[place]) + busy_s
    return free[-1]


def time_s(design: Design, inputs: Inputs) -> float:
    """When a design has delivered, by lengths of all words and a clock that goes from chunk to chunk."""
    name, block = design
    counts, numbers, link = tuple(inputs["counts"]), inputs["numbers"], inputs["link_bytes_per_s"]
    if name == "raw":
        return numbers * inputs["raw_bits"] / 8 / link
    if name == "fixed":
        return numbers * (len(counts) - 1).bit_length() / 8 / link
    sent = (len(counts) ** block + numbers * block_bits(counts, block) / 8) / link
    coded = numbers * inputs["raw_bits"] / 8 / inputs["coder_bytes_per_s"]
    chunks = inputs["chunks"]
    return arrival_s([coded / chunks, sent / chunks, coded / chunks], chunks)


def designs(inputs: Inputs) -> Iterator[Design]:
    yield from (("raw", 1), ("fixed", 1))
    if inputs["coder_bytes_per_s"] is not None:
        yield from (("huffman", block) for block in range(1, inputs["longest_block"] + 1))


def any_in_time(**inputs: Any) -> Observation:
    found = any(time_s(design, inputs) <= inputs["limit_s"] for design in designs(inputs))
    return {DESIGN: KNOWN, LATE: 0.0} if found else {DESIGN: NONE}


def observe(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Time the design that is chosen; any that keeps to the limit is right."""
    chosen = function(**inputs)
    if chosen is None:
        return {DESIGN: NONE}
    design = tuple(chosen)
    if design not in set(designs(inputs)):
        return {DESIGN: f"{chosen}, which there is not"}
    late_s = time_s(design, inputs) - inputs["limit_s"]
    return {DESIGN: KNOWN, LATE: max(0.0, late_s)}


def link(counts: Sequence[int], **changes: Any) -> Inputs:
    """Return a slow link with a fast coder, changed where something is said."""
    usual: Inputs = {
        "numbers": 800,
        "raw_bits": 16,
        "link_bytes_per_s": 1.0,
        "coder_bytes_per_s": 100.0,
        "chunks": 1,
        "longest_block": 3,
        "limit_s": 300.0,
    }
    return {"counts": list(counts), **usual, **changes}


def on_the_edges(base: Inputs) -> list[Inputs]:
    """Return a link with limits well between what its designs take, one below all and one above all."""
    times = sorted({time_s(design, base) for design in designs(base)})
    ends = pairwise([0.0, *times, 2 * times[-1]])
    return [{**base, "limit_s": (low + high) / 2} for low, high in ends if high > 1.002 * low]


LATE_GRADIENT = (2, 3, 25, 75, 419, 1550, 4040, 1564, 417, 67, 27, 2, 1)
LLAMA = {
    "counts": list(LATE_GRADIENT),
    "numbers": 8_030_261_248,
    "raw_bits": 16,
    "link_bytes_per_s": 50e9,
    "coder_bytes_per_s": 250e9,
    "chunks": 16,
    "longest_block": 2,
    "limit_s": 0.075,
}
SMALLEST = link([2, 1, 1], numbers=80, link_bytes_per_s=1.0, coder_bytes_per_s=None, longest_block=2, limit_s=30.0)
EXERCISE = Exercise(
    choose_code,
    number=5,
    level="hard",
    asked="a code (raw, fixed or huffman, with its block) in which the gradient arrives within the limit, or None",
    expected=any_in_time,
    observe=observe,
    examples=[
        SMALLEST,
        {**SMALLEST, "limit_s": 10.0},
        {**SMALLEST, "coder_bytes_per_s": 1000.0, "limit_s": 19.0},
        link([1, 1, 1, 1], limit_s=200.5),
        link([9, 1], limit_s=80.0),
        {**LLAMA, "coder_bytes_per_s": 13e9},
        LLAMA,
    ],
    inputs=[
        case
        for base in (
            link([9, 1], longest_block=6),
            link([9, 1], chunks=8, coder_bytes_per_s=40.0, longest_block=4),
            link([9, 1], numbers=80, longest_block=6),
            link([6, 1, 1], chunks=4, coder_bytes_per_s=20.0),
            link([12, 2, 1, 1], numbers=4000, chunks=16, coder_bytes_per_s=30.0),
            link([3, 3, 2], numbers=200),
            link([5, 1, 1, 1, 1], raw_bits=8, coder_bytes_per_s=10.0, chunks=2),
            link([2, 1, 1], coder_bytes_per_s=None),
            link([40, 5, 3, 1, 1], numbers=20_000, chunks=10, coder_bytes_per_s=25.0),
            link([1, 1, 1, 1], longest_block=2),
            {**LLAMA, "link_bytes_per_s": 25e9, "coder_bytes_per_s": 400e9},
            {**LLAMA, "coder_bytes_per_s": 50e9},
        )
        for case in on_the_edges(base)
    ],
    units={LATE: "s"},
    mistakes=[
        Mistake(
            "forgets_the_coder",
            "The coder and the decoder take time as well; on a fast link they can take more than they save.",
            {"2 * coded_s + sent_s + (chunks - 1) * max(coded_s, sent_s)": "chunks * sent_s"},
        ),
        Mistake(
            "codes_only_once",
            "Who receives has to decode: the gradient passes a coder twice.",
            {"2 * coded_s + sent_s": "coded_s + sent_s"},
        ),
        Mistake(
            "adds_the_stages",
            "With several chunks the three work at the same time: do not add up their times for the whole gradient.",
            {"2 * coded_s + sent_s + (chunks - 1) * max(coded_s, sent_s)": "chunks * (2 * coded_s + sent_s)"},
        ),
        Mistake(
            "takes_the_slowest_stage",
            "The first chunk passes all three stages before anything arrives: the slowest one's time is too little.",
            {"2 * coded_s + sent_s + (chunks - 1) * max(coded_s, sent_s)": "chunks * max(coded_s, sent_s)"},
        ),
        Mistake(
            "forgets_the_table",
            "The receiver needs the table: one byte for each possible block, and their number grows with the block.",
            {"(table_bytes + numbers * bits / 8)": "(numbers * bits / 8)"},
        ),
        Mistake(
            "sends_the_entropy",
            "A code with whole words seldom meets the entropy; count the lengths of Huffman's words.",
            {
                "bits = merged / sum(counts) ** block / block": "bits = -sum(c / sum(counts) * "
                "math.log2(c / sum(counts)) for c in counts)"
            },
        ),
        Mistake(
            "codes_number_by_number",
            "Blocks may be longer than one number, and then the words waste less.",
            {"range(1, longest_block + 1)": "range(1, 2)"},
        ),
        Mistake(
            "takes_the_longest_block",
            "The longest block is not always the best: its table is the largest, and its words need not be shorter.",
            {"range(1, longest_block + 1)": "range(longest_block, longest_block + 1)"},
        ),
        Mistake(
            "rounds_the_width_down",
            "A fixed width must tell all symbols apart: round log2 of their number up.",
            {"math.ceil(math.log2(len(counts)))": "math.floor(math.log2(len(counts)))"},
        ),
        Mistake(
            "codes_without_a_coder",
            "Where there is no coder, no Huffman code can be sent.",
            {
                "    if coder_bytes_per_s is None:\n        return None\n": "    if coder_bytes_per_s is None:\n"
                '        return "huffman", 1\n'
            },
        ),
        Mistake(
            "never_codes",
            "A fixed width is not the only way to be short: weigh Huffman's code where there is a coder.",
            {"    if coder_bytes_per_s is None:": "    if True:"},
        ),
        Mistake(
            "always_codes",
            "This is late where the coder is slow: raw numbers and a fixed width need no coder.",
            {'(("fixed", fixed_bits), ("raw", raw_bits))': "()"},
        ),
        Mistake(
            "takes_bits_for_bytes",
            "The bandwidth is in bytes a second, and a byte has 8 bits.",
            {
                "numbers * bits / 8 / link_bytes_per_s": "numbers * bits / link_bytes_per_s",
                "table_bytes + numbers * bits / 8": "table_bytes + numbers * bits",
            },
        ),
        Mistake(
            "is_always_fixed", "This is right for one input only: weigh all designs.", lambda *_, **__: ("fixed", 1)
        ),
    ],
)
