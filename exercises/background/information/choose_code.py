"""Exercise: a code in which a gradient crosses a link in time, with its table and its coder counted."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from random import Random
from typing import Any

from exercises.background.information.common import LATE_GRADIENT
from grader.choices import Choice, mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake

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
      independent. Its table is sent too: one byte for each possible block.

    Raw numbers and words of one length need no coder: they take their bytes
    over the link's bandwidth. For a Huffman code the sender codes, the link
    carries and the receiver decodes. The gradient is cut into equal chunks,
    and so are the bytes that are sent, the table's among them. Each of the
    three works on one chunk at a time and passes it on when done with it.
    Sender and receiver have a coder each, and both take raw bytes,
    raw_bits / 8 for each number, at coder_bytes_per_s.

    Args:
        counts: how often each symbol came in a sample, each at least 1; two
            symbols or more.
        numbers: in the gradient; blocks may be cut anywhere, so it sends
            numbers / k words of mean length.
        raw_bits: of a number as it lies in memory.
        link_bytes_per_s: bandwidth.
        coder_bytes_per_s: of each coder; None where there is none.
        chunks: at least 1.
        longest_block: at least 1.
        limit_s: when the last chunk must be decoded, at the latest.

    Returns:
        Name and block of any design that keeps to the limit; None if none does.

    >>> choose_code([2, 1, 1], numbers=80, raw_bits=16, link_bytes_per_s=1.0,
    ...             coder_bytes_per_s=None, chunks=1, longest_block=2,
    ...             limit_s=30.0)
    ('fixed', 1)
    """
    fixed_bits = math.ceil(math.log2(len(counts)))
    widths = {"raw": raw_bits, "fixed": fixed_bits}
    times = {(name, 1): numbers * bits / 8 / link_bytes_per_s for name, bits in widths.items()}
    if coder_bytes_per_s is not None:
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
            word_bytes = numbers * merged / sum(counts) ** block / block / 8
            sent_s = (table_bytes + word_bytes) / link_bytes_per_s / chunks
            times["huffman", block] = 2 * coded_s + sent_s + (chunks - 1) * max(coded_s, sent_s)
    return next((design for design, time_s in times.items() if time_s <= limit_s), None)


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


def arrives_s(design: Design, inputs: Inputs, *, coders: int = 2, has_table: bool = True) -> float:
    """When a design has delivered, by lengths of all words and a clock that goes from chunk to chunk."""
    name, block = design
    counts, numbers, link = tuple(inputs["counts"]), inputs["numbers"], inputs["link_bytes_per_s"]
    if name == "raw":
        return numbers * inputs["raw_bits"] / 8 / link
    if name == "fixed":
        return numbers * (len(counts) - 1).bit_length() / 8 / link
    sent = (len(counts) ** block * has_table + numbers * block_bits(counts, block) / 8) / link
    coded = numbers * inputs["raw_bits"] / 8 / inputs["coder_bytes_per_s"]
    chunks = inputs["chunks"]
    return arrival_s([*[coded / chunks] * (coders - 1), sent / chunks, coded / chunks], chunks)


def designs(inputs: Inputs) -> Iterator[Design]:
    yield from (("raw", 1), ("fixed", 1))
    if inputs["coder_bytes_per_s"] is not None:
        yield from (("huffman", block) for block in range(1, inputs["longest_block"] + 1))


def in_time(**inputs: Any) -> str | None:
    """Name the designs that keep to the limit."""
    found = [design for design in designs(inputs) if arrives_s(design, inputs) <= inputs["limit_s"]]
    return " or ".join(map(str, found)) or None


def fault(chosen: Sequence[Any], **inputs: Any) -> str:
    """Time the design that is chosen."""
    design: Design = tuple(chosen)
    if why := no_design(design, inputs):
        return f"{design}: {why}"
    late_s = arrives_s(design, inputs) - inputs["limit_s"]
    return f"{design}, {late_s:.4g} s late" if late_s > 0 else ""


def no_design(design: Design, inputs: Inputs) -> str:
    """Say why there is no such design; of one that there is, nothing."""
    name, block = design
    if name not in {"raw", "fixed", "huffman"}:
        return "the names are raw, fixed and huffman"
    if name != "huffman":
        return "" if block == 1 else f"with {name} goes the block 1"
    if inputs["coder_bytes_per_s"] is None:
        return "there is no coder"
    return "" if 1 <= block <= inputs["longest_block"] else f"blocks have 1 to {inputs['longest_block']} numbers"


def a_link(counts: Sequence[int], **changes: Any) -> Inputs:
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


LLAMA: Inputs = {
    "counts": list(LATE_GRADIENT),
    "numbers": 8_030_261_248,
    "raw_bits": 16,
    "link_bytes_per_s": 50e9,
    "coder_bytes_per_s": 250e9,
    "chunks": 16,
    "longest_block": 2,
    "limit_s": 0.075,
}
SMALLEST = a_link([2, 1, 1], numbers=80, link_bytes_per_s=1.0, coder_bytes_per_s=None, longest_block=2, limit_s=30.0)
CHOICE = Choice("design", in_time, fault, none="None")
as_if = mistaken_rules(CHOICE.expected, CHOICE.observe)


def by_time(**wrongly: Any) -> Callable[..., bool]:
    """Return what judges a design by a time in which something is forgotten."""

    def accepts(chosen: Design | None, **inputs: Any) -> bool:
        found = [design for design in designs(inputs) if arrives_s(design, inputs, **wrongly) <= inputs["limit_s"]]
        return tuple(chosen) in found if chosen else not found

    return accepts


def taught() -> str:
    fixed, coded, slow = (
        arrives_s(design, {**LLAMA, "coder_bytes_per_s": rate})
        for design, rate in ((("fixed", 1), 250e9), (("huffman", 1), 250e9), (("huffman", 1), 13e9))
    )
    return (
        f"Words of one length take {fixed:.3f} s, too long; Huffman's code takes {coded:.3f} s. Its coder is the "
        f"slowest stage, so that shorter words would hardly help. With one of 13 GB/s it takes {slow:.1f} s, and "
        "nothing is left that is in time."
    )


INPUTS: list[Inputs] = [
    a_link([30, 3, 1, 1, 1, 1], raw_bits=32, coder_bytes_per_s=40.0, chunks=4, longest_block=2, limit_s=177.2),
    a_link([40, 5, 3, 1, 1], numbers=200, coder_bytes_per_s=10.0, chunks=5, longest_block=1, limit_s=55.76),
    a_link([2000, 1, 1, 1, 1], numbers=80000, raw_bits=8, link_bytes_per_s=5.0, chunks=2, limit_s=1900.0),
    a_link([8, 1, 1, 1, 1, 1, 1, 1], numbers=80, coder_bytes_per_s=None, longest_block=1, limit_s=30.03),
    a_link([6, 1, 1], numbers=200, coder_bytes_per_s=10.0, chunks=8, longest_block=1, limit_s=49.0),
    a_link(
        [5, 1, 1, 1, 1],
        numbers=80,
        raw_bits=32,
        link_bytes_per_s=5.0,
        coder_bytes_per_s=1000000.0,
        chunks=3,
        limit_s=4.8,
    ),
    a_link(
        [20, 2, 1],
        numbers=40,
        raw_bits=8,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=1000.0,
        chunks=3,
        longest_block=1,
        limit_s=4.331,
    ),
    a_link(
        [2000, 1, 1, 1, 1],
        numbers=40,
        raw_bits=8,
        link_bytes_per_s=5.0,
        coder_bytes_per_s=60.0,
        chunks=8,
        longest_block=1,
        limit_s=2.985,
    ),
    a_link([30, 3, 1, 1, 1, 1], coder_bytes_per_s=None, chunks=8, longest_block=1, limit_s=240.0),
    a_link(
        [8, 1, 1, 1, 1, 1, 1, 1],
        numbers=40,
        raw_bits=32,
        coder_bytes_per_s=None,
        chunks=16,
        longest_block=1,
        limit_s=128.0,
    ),
    a_link(
        [8, 1, 1, 1, 1, 1, 1, 1],
        numbers=4000,
        raw_bits=32,
        coder_bytes_per_s=10.0,
        chunks=16,
        longest_block=1,
        limit_s=1470.0,
    ),
    a_link(
        [2, 1, 1],
        numbers=20000,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=40.0,
        chunks=16,
        longest_block=2,
        limit_s=2000.0,
    ),
    a_link(
        [12, 2, 1, 1],
        numbers=20000,
        raw_bits=8,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=1000.0,
        longest_block=2,
        limit_s=1630.0,
    ),
    a_link(
        [2000, 1, 1, 1, 1],
        numbers=20000,
        raw_bits=8,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=40.0,
        chunks=16,
        limit_s=560.0,
    ),
    a_link(
        [9, 1],
        numbers=3000,
        raw_bits=32,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=40.0,
        longest_block=1,
        limit_s=234.4,
    ),
    a_link([2000, 1, 1, 1, 1], numbers=20000, coder_bytes_per_s=30.0, chunks=4, longest_block=2, limit_s=2000.0),
    a_link(
        [40, 5, 3, 1, 1],
        numbers=3000,
        link_bytes_per_s=5.0,
        coder_bytes_per_s=None,
        chunks=3,
        longest_block=1,
        limit_s=150.0,
    ),
    a_link([9, 1], numbers=200, coder_bytes_per_s=20.0, chunks=16, longest_block=2, limit_s=22.6),
    a_link([9, 1], numbers=20000, raw_bits=8, coder_bytes_per_s=1000000.0, longest_block=6, limit_s=2377.0),
    a_link(
        [5, 1, 1, 1, 1],
        numbers=80,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=20.0,
        chunks=16,
        longest_block=2,
        limit_s=13.59,
    ),
    a_link(
        [1, 1, 1, 1, 1, 1, 1, 1],
        numbers=3000,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=40.0,
        longest_block=1,
        limit_s=703.1,
    ),
    a_link([9, 1], numbers=20000, raw_bits=8, coder_bytes_per_s=None, longest_block=1, limit_s=20100.0),
    a_link(
        [40, 5, 3, 1, 1],
        numbers=40,
        raw_bits=8,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=30.0,
        longest_block=2,
        limit_s=6.0,
    ),
    a_link([2, 1, 1], coder_bytes_per_s=None, chunks=2, longest_block=4, limit_s=194.7),
    a_link([3, 2], numbers=40, link_bytes_per_s=2.0, coder_bytes_per_s=40.0, chunks=2, longest_block=4, limit_s=5.495),
    a_link([2000, 1, 1, 1, 1], coder_bytes_per_s=10.0, chunks=2, longest_block=1, limit_s=230.0),
    a_link(
        [2000, 1, 1, 1, 1],
        numbers=200,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=30.0,
        chunks=3,
        longest_block=1,
        limit_s=24.0,
    ),
    a_link([30, 3, 1, 1, 1, 1], coder_bytes_per_s=30.0, chunks=5, longest_block=2, limit_s=160.0),
    a_link([2, 1, 1], numbers=80, raw_bits=8, link_bytes_per_s=2.0, chunks=5, longest_block=4, limit_s=9.8),
    # long blocks: the best of four to six, and one that helps after one that does not
    a_link([9, 1], numbers=80_000, coder_bytes_per_s=1e6, chunks=4, longest_block=6, limit_s=4800.0),
    a_link(
        [9, 1], numbers=4000, link_bytes_per_s=2.0, coder_bytes_per_s=1e5, chunks=16, longest_block=4, limit_s=133.0
    ),
    a_link(
        [6, 4],
        numbers=80_000,
        link_bytes_per_s=5.0,
        coder_bytes_per_s=1e6,
        chunks=2,
        longest_block=4,
        limit_s=1970.0,
    ),
    a_link(
        [3, 2],
        numbers=20_000,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=1e5,
        chunks=16,
        longest_block=4,
        limit_s=1235.0,
    ),
    a_link(
        [4, 1],
        numbers=20_000,
        link_bytes_per_s=2.0,
        coder_bytes_per_s=1e5,
        chunks=5,
        longest_block=5,
        limit_s=920.0,
    ),
    # one that helps after one that is even worse
    a_link([5, 2], numbers=80_000, coder_bytes_per_s=1e6, chunks=4, longest_block=4, limit_s=8800.0),
    # a part of a block at the end: neither a whole one nor nothing
    a_link([9, 1], numbers=201, coder_bytes_per_s=1e6, longest_block=2, limit_s=20.25),
    a_link([9, 1], numbers=201, coder_bytes_per_s=1e6, longest_block=2, limit_s=20.17),
    # words so short that even eight times as long ones would be in time
    a_link([2000, *[1] * 7], numbers=80_000, raw_bits=8, coder_bytes_per_s=1e6, limit_s=29_000.0),
    a_link([2000, *[1] * 7], numbers=40_000, raw_bits=8, coder_bytes_per_s=1e6, chunks=4, limit_s=14_500.0),
    {**LLAMA, "link_bytes_per_s": 25e9, "coder_bytes_per_s": 400e9, "limit_s": 0.12},
]


def drawn(chance: Random) -> list[Inputs]:
    """Return the book's links, and others with a limit between the times of two designs, or below all of them."""
    found: list[Inputs] = []
    while len(found) < 30:
        one = a_link(
            sorted((chance.choice((1, 1, 2, 3, 9, 40)) for _ in range(chance.randint(2, 6))), reverse=True),
            numbers=chance.choice((40, 200, 800, 3000, 20_000)),
            raw_bits=chance.choice((8, 16, 32)),
            link_bytes_per_s=chance.choice((1.0, 2.0, 5.0)),
            coder_bytes_per_s=chance.choice((None, 10.0, 40.0, 1000.0, 1e6)),
            chunks=chance.choice((1, 2, 4, 16)),
            longest_block=chance.randint(1, 3),
        )
        times = sorted({0.9 * arrives_s(("fixed", 1), one), *(arrives_s(design, one) for design in designs(one))})
        gaps = [(low + high) / 2 for low, high in pairwise(times) if high > 1.01 * low]
        found += [{**one, "limit_s": float(f"{limit_s:.5g}")} for limit_s in gaps[:3]]
    return [*INPUTS, *found]


EXERCISE = Exercise(
    choose_code,
    number=5,
    level="hard",
    asked="a code (raw, fixed or huffman, with its block) in which the gradient arrives within the limit, or None",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        SMALLEST,
        {**SMALLEST, "limit_s": 20.0},
        {**SMALLEST, "limit_s": 19.0},
        {**SMALLEST, "coder_bytes_per_s": 1000.0, "limit_s": 19.0},
        a_link([1, 1, 1, 1], limit_s=200.5),
        a_link([9, 1], longest_block=2, limit_s=80.0),
        a_link([9, 1], numbers=80_000, coder_bytes_per_s=1e6, longest_block=1, limit_s=8000.0),
        # parts of a byte decide
        a_link([2, 1, 1], numbers=3, coder_bytes_per_s=None, limit_s=0.7),
        a_link(
            [2000, 1, 1, 1, 1],
            numbers=101,
            raw_bits=4,
            link_bytes_per_s=0.2,
            coder_bytes_per_s=10.0,
            longest_block=1,
            limit_s=98.45,
        ),
        {**LLAMA, "coder_bytes_per_s": 13e9, "longest_block": 1},
        LLAMA,
    ],
    # limits close to what designs take, or would take by a wrong reckoning
    taught=taught,
    inputs=INPUTS,
    drawn=drawn,
    mistakes=[
        Mistake(
            "forgets_the_coder",
            "The coder and the decoder take time as well; on a fast link they can take more than they save.",
            {"2 * coded_s + sent_s + (chunks - 1) * max(coded_s, sent_s)": "chunks * sent_s"},
            accepts=as_if(lambda given: {"coder_bytes_per_s": given["coder_bytes_per_s"] and math.inf}),
        ),
        Mistake(
            "codes_only_once",
            "Who receives has to decode: the gradient passes a coder twice.",
            {"2 * coded_s + sent_s": "coded_s + sent_s"},
            accepts=by_time(coders=1),
        ),
        Mistake(
            "adds_the_stages",
            "With several chunks the three work at the same time: do not add up their times for the whole gradient.",
            {"2 * coded_s + sent_s + (chunks - 1) * max(coded_s, sent_s)": "chunks * (2 * coded_s + sent_s)"},
            accepts=as_if(lambda given: {"chunks": 1}),
        ),
        Mistake(
            "forgets_the_first_chunk",
            "The slowest stage cannot start at once: the first chunk has to reach it, the last to leave it.",
            {"2 * coded_s + sent_s + (chunks - 1) * max(coded_s, sent_s)": "chunks * max(coded_s, sent_s)"},
        ),
        Mistake(
            "waits_for_the_link",
            "The link is not always the slowest: behind a slow coder chunks come no faster than that codes them.",
            {"max(coded_s, sent_s)": "sent_s"},
        ),
        Mistake(
            "times_the_coder_on_what_is_sent",
            "Coder and decoder take the raw bytes; the coded ones, which are fewer, are the link's.",
            {
                'times["huffman", block] = ': "coded_s = sent_s * link_bytes_per_s / "
                'coder_bytes_per_s\n            times["huffman", block] = '
            },
        ),
        Mistake(
            "times_the_coder_on_the_words",
            "Coder and decoder take all raw bytes of the numbers, not those of the shorter words.",
            {
                'times["huffman", block] = ': "coded_s = word_bytes / coder_bytes_per_s / chunks\n"
                '            times["huffman", block] = '
            },
        ),
        Mistake(
            "forgets_the_table",
            "The receiver needs the table: one byte for each possible block, and their number grows with the block.",
            {"(table_bytes + word_bytes)": "(word_bytes)"},
            accepts=by_time(has_table=False),
        ),
        Mistake(
            "codes_number_by_number",
            "Longer blocks never come out ahead here: try them all, and divide a "
            "word's bits by the numbers in its block.",
            {"range(1, longest_block + 1)": "range(1, 2)"},
            accepts=as_if(lambda given: {"longest_block": 1}),
        ),
        Mistake(
            "stops_where_it_gets_worse",
            "A block that sends more than the one before may be followed by one that sends less: try them all.",
            {
                "for block in": "less_s = math.inf\n        for block in",
                'times["huffman", block] = ': "if sent_s >= less_s:\n                "
                "break\n            less_s = sent_s\n      "
                '      times["huffman", block] = ',
            },
        ),
        Mistake(
            "takes_the_words_bits_for_bytes",
            "The words of Huffman's code are in bits; the link takes bytes, of 8 bits each.",
            {"block / block / 8": "block / block"},
        ),
        Mistake(
            "refuses_the_limit_itself",
            "A design that takes exactly the limit keeps to it.",
            {"time_s <= limit_s": "time_s < limit_s"},
            accepts=as_if(lambda given: {"limit_s": math.nextafter(given["limit_s"], 0.0)}),
        ),
    ],
)
