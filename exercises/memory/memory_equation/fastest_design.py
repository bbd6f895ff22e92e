"""Exercise: what to recompute, and how many sequences at a time, so that a step fits and takes few operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import product
from random import Random
from typing import Any

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake
from snippets.memory.memory_equation.activations import RECOMPUTATIONS
from snippets.memory.memory_equation.step_peak import gpt_step_sizes, step_peak_bytes
from snippets.memory.memory_equation.step_timeline import step_timeline


def fastest_design(
    *,
    layers: int,
    hidden: int,
    heads: int,
    vocabulary: int,
    sequence: int,
    sequences: int,
    memory_bytes: int,
    overhead_flops: int,
) -> tuple[str, int] | None:
    """Choose what to recompute and a micro-batch, for the fewest operations.

    A step processes all its sequences on one device, in equal micro-batches.
    Adam in mixed precision has 16 bytes a parameter; scores are stored unless
    they are recomputed. With s = sequence, h = hidden, V = vocabulary, the
    forward pass of one sequence takes 24sh² + 4s²h operations in a layer
    (4s²h for the scores) and 2shV in the head. The backward pass takes twice
    as many, and besides what is recomputed: in each layer its scores, or all of
    it; never the head.

    A design fits if step_peak_bytes of its gpt_step_sizes is no more than the
    memory. There keep_gradients says that buffers for all gradients are held
    throughout; without it, the backward pass makes them one after the other.

    Args:
        layers: layers of the GPT, which has no table of positions.
        hidden: its width.
        heads: its heads.
        vocabulary: its words.
        sequence: tokens of a sequence.
        sequences: sequences of a step. With more than one micro-batch their
            gradients are added up, in buffers that are there throughout.
        memory_bytes: memory of the device; all of it may be used.
        overhead_flops: what each micro-batch costs besides, in operations.

    Returns:
        What is recomputed ("none", "selective": the scores, "full": whole
        layers) and the sequences of a micro-batch, which divide the step's;
        None where no such design fits. Where several are fastest, any of them.

    >>> sizes = gpt_step_sizes(
    ...     layers=2, hidden=8, heads=2, vocabulary=10, sequence=8,
    ...     micro_batch=2, recomputation="selective",
    ... )
    >>> step_peak_bytes(sizes, keep_gradients=True)
    40832
    >>> fastest_design(
    ...     layers=2, hidden=8, heads=2, vocabulary=10, sequence=8,
    ...     sequences=2, memory_bytes=41_000, overhead_flops=1000,
    ... )
    ('none', 2)
    """
    # The forward and the backward passes take as much in every design: what is made again and the overhead differ.
    scores = 4 * sequence**2 * hidden
    layer = 24 * sequence * hidden**2 + scores
    again = {"none": 0, "selective": layers * scores, "full": layers * layer}
    best, least = None, math.inf
    for recomputed, more in again.items():
        for micro_batch in range(1, sequences + 1):
            if sequences % micro_batch:
                continue
            sizes = gpt_step_sizes(
                layers=layers,
                hidden=hidden,
                heads=heads,
                vocabulary=vocabulary,
                sequence=sequence,
                micro_batch=micro_batch,
                recomputation=recomputed,
            )
            several = micro_batch < sequences
            peak = step_peak_bytes(sizes, keep_gradients=several)
            flops = sequences // micro_batch * overhead_flops + sequences * more
            if peak <= memory_bytes and flops < least:
                best, least = (recomputed, micro_batch), flops
    return best


SHAPE = ("layers", "hidden", "heads", "vocabulary", "sequence")


@cache
def held_bytes(recomputed: str, micro_batch: int, several: bool, *shape: int) -> tuple[int, str]:
    """Run the step on the simulator, and return the most that it holds, and when."""
    sides: dict[str, Any] = dict(zip(SHAPE, shape, strict=True))
    sizes = gpt_step_sizes(**sides, micro_batch=micro_batch, recomputation=recomputed)
    line = step_timeline(sizes, keep_gradients=several)
    return line.peak_bytes, f"in the {line.peak.phase} pass of {line.peak.task}".replace("of loss", "of the loss")


def cost(recomputed: str, micro_batch: int, run: Inputs) -> int:
    """Add up a step's operations, one micro-batch after the other, pass by pass."""
    s, h = run["sequence"], run["hidden"]
    core, matrices, head = 4 * s * s * h, 24 * s * h * h, 2 * s * h * run["vocabulary"]
    made_again = {"none": 0, "selective": core, "full": core + matrices}[recomputed]
    total = 0
    for _ in range(run["sequences"] // micro_batch):
        forward = micro_batch * (run["layers"] * (core + matrices) + head)
        total += run["overhead_flops"] + forward + 2 * forward + micro_batch * run["layers"] * made_again
    return total


def worst(recomputed: str, micro_batch: int, run: Inputs) -> tuple[int, str]:
    return held_bytes(recomputed, micro_batch, micro_batch < run["sequences"], *(run[name] for name in SHAPE))


def designs(run: Inputs) -> list[tuple[str, int]]:
    """List every design that fits."""
    sizes = [size for size in range(1, run["sequences"] + 1) if run["sequences"] % size == 0]
    pairs = product(RECOMPUTATIONS, sizes)
    return [(made, size) for made, size in pairs if worst(made, size, run)[0] <= run["memory_bytes"]]


def the_fastest(**run: Any) -> str | None:
    fitting = designs(run)
    return f"one that fits and takes the fewest operations, such as {cheapest(fitting, run)}" if fitting else None


def cheapest(fitting: list[tuple[str, int]], run: Inputs) -> tuple[str, int]:
    costs = [cost(made, size, run) for made, size in fitting]
    return fitting[costs.index(min(costs))]


def fault(design: tuple[str, int], **run: Any) -> str:
    """Say whether the design fits on the simulator, and how many operations it takes more than the best."""
    recomputed, micro_batch = design
    if recomputed not in RECOMPUTATIONS:
        return f"recomputes {recomputed!r}; the choices are 'none', 'selective' and 'full'"
    if micro_batch < 1 or run["sequences"] % micro_batch:
        return f"has a micro-batch of {micro_batch}, which does not divide the {run['sequences']} sequences"
    peak, moment = worst(recomputed, micro_batch, run)
    if peak > run["memory_bytes"]:
        held = f"it holds {peak:,} bytes {moment}, and the device has {run['memory_bytes']:,}"
        return f"{design}, which does not fit: {held}"
    best = cheapest(designs(run), run)
    if more := cost(recomputed, micro_batch, run) - cost(*best, run):
        return f"{design}, which fits and takes {more:,} operation{'s' * (more > 1)} more than {best}"
    return ""


def by_rule(
    *,
    accumulates: Callable[[int, int], bool] = lambda micro_batch, sequences: micro_batch < sequences,
    tried: Callable[[str, int, int], bool] = lambda recomputed, micro_batch, sequences: sequences % micro_batch == 0,
    paid: Callable[[int, int], int] = lambda micro_batch, sequences: sequences // micro_batch,
    head_again: bool = False,
    largest: bool = False,
    spare: int = 0,
) -> Callable[..., bool]:
    """Return what judges a design with a slip: in what is held, in what is tried, or in what counts."""

    def accepts(design: tuple[str, int] | None, **run: Any) -> bool:
        s, h, sequences = run["sequence"], run["hidden"], run["sequences"]
        core, head = 4 * s * s * h, 2 * s * h * run["vocabulary"] * head_again
        layer = core + 24 * s * h * h
        again = {"none": 0, "selective": run["layers"] * core, "full": run["layers"] * layer + head}
        shape = [run[name] for name in SHAPE]

        def fits(made: str, size: int) -> bool:
            held, _ = held_bytes(made, size, accumulates(size, sequences), *shape)
            return tried(made, size, sequences) and held + spare <= run["memory_bytes"]

        def counted(made: str, size: int) -> int:
            return -size if largest else paid(size, sequences) * run["overhead_flops"] + sequences * again[made]

        there = [one for one in product(RECOMPUTATIONS, range(1, sequences + 1)) if fits(*one)]
        if design is None or not there:
            return design is None and not there
        return design in there and counted(*design) == min(counted(*one) for one in there)

    return accepts


def step_of(sequences: int, memory_bytes: int, overhead_flops: int, *shape: int) -> Inputs:
    run = dict(zip(SHAPE, shape or (2, 8, 2, 10, 8), strict=True))
    return {**run, "sequences": sequences, "memory_bytes": memory_bytes, "overhead_flops": overhead_flops}


def turns(run: Inputs) -> list[int]:
    """List the overheads around which another design becomes the fastest."""
    free = {**run, "overhead_flops": 0}
    lines = sorted({(run["sequences"] // size, cost(made, size, free)) for made, size in designs(run)})

    def fastest(overhead: int) -> tuple[int, int]:
        return min(lines, key=lambda line: line[0] * overhead + line[1])

    pairs = product(lines, lines)
    meet = [(dear - cheap) // (many - few) for (many, cheap), (few, dear) in pairs if many > few and cheap < dear]
    return sorted({overhead for overhead in meet if fastest(overhead - 1) != fastest(overhead + 1)})


def some_step(seed: int) -> Inputs:
    """Draw a small step; its device holds what some design needs, or a little less, or a little more."""
    chance = Random(seed)
    heads = chance.choice([1, 2, 3, 4])
    shape = (
        chance.randint(1, 5),
        heads * chance.choice([1, 2, 3, 5, 8, 12]),
        heads,
        chance.randint(2, 60),
        chance.randint(3, 32),
    )
    sequences = chance.choice([1, 2, 2, 3, 4, 4, 6, 8, 9, 12, 18])
    divisors = [size for size in range(1, sequences + 1) if sequences % size == 0]
    size = chance.choice(chance.choice([divisors, divisors, divisors, range(1, sequences + 1)]))
    memory, _ = held_bytes(chance.choice(RECOMPUTATIONS), size, size < sequences, *shape)
    run = step_of(sequences, memory + chance.choice([0, 0, 0, -1, -2, -3, 50]), 0, *shape)
    forward = shape[0] * (24 * shape[4] * shape[1] ** 2 + 4 * shape[4] ** 2 * shape[1])
    near = [at for turn in turns(run) for at in (turn // 3, turn * 2 // 3, turn - 1, turn + 1, turn * 3 // 2, turn * 3)]
    return {**run, "overhead_flops": chance.choice(near or [0, forward // 20, forward // 2, 3 * forward])}


def largest_micro_batch_of_all(**run: Any) -> Any:
    return max(designs(run), key=lambda design: design[1], default=None)


# Of the first 400, those on which wrong answers differ most from right ones and from each other.
# fmt: off
SEEDS = (
    2, 7, 21, 27, 30, 31, 37, 41, 50, 51, 72, 94, 98, 101, 109, 114, 115, 117, 137, 138, 152, 160, 162, 170,
    190, 191, 194, 211, 216, 236, 237, 249, 252, 258, 271, 274, 278, 289, 305, 316, 331, 335, 341, 357, 361,
    375, 387, 393,
)
# fmt: on

CHOICE = Choice("the design", the_fastest, fault, none="None: nothing fits")


def drawn(chance: Random) -> list[Inputs]:
    """Return small steps as the book's own."""
    return [some_step(chance.randrange(10**9)) for _ in range(48)]


def taught() -> str:
    own = EXERCISE.examples[-1]
    made, size = fastest_design(**own) or ("none", 0)
    whole = cost("full", own["sequences"], own) / cost(made, size, own) - 1
    held = [worst("none", 1, {**own, "sequences": sequences})[0] / 1e9 for sequences in (1, own["sequences"])]
    return (
        f"For the last example it is {made!r} with {size} sequences at a time. Full recomputation lets all "
        f"{own['sequences']} run at once and takes {whole:.0%} more operations. With nothing recomputed one "
        f"sequence alone holds {held[0]:.1f} GB, and {held[1]:.1f} beside the gradients of those before, "
        "which does not fit."
    )


EXERCISE = Exercise(
    fastest_design,
    number=4,
    level="hard",
    asked="what to recompute, and a micro-batch, so that a step fits and takes the fewest operations",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        step_of(1, 41_000, 0),
        step_of(2, 41_000, 1000),
        step_of(1, 1000, 0),
        step_of(8, 120_256, 0, 4, 4, 4, 18, 19),
        step_of(16, 80 * 10**9, 6 * 10**12, 30, 3072, 32, 51200, 2048),
    ],
    inputs=[*map(some_step, SEEDS), step_of(16, 80 * 10**9, 32 * 10**12, 30, 3072, 32, 51200, 2048)],
    drawn=drawn,
    given=("gpt_step_sizes", "step_peak_bytes"),
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_accumulation",
            "With several micro-batches the gradients of the first are there when the second is at its peak.",
            {"keep_gradients=several": "keep_gradients=False"},
            accepts=by_rule(accumulates=lambda micro_batch, sequences: False),
        ),
        Mistake(
            "always_accumulates",
            "A single micro-batch accumulates nothing: its gradients come when the activations go.",
            {"keep_gradients=several": "keep_gradients=True"},
            accepts=by_rule(accumulates=lambda micro_batch, sequences: True),
        ),
        Mistake(
            "takes_any_micro_batch",
            "The micro-batches of a step are equal: their size has to divide the step's sequences.",
            {"if sequences % micro_batch:": "if False:"},
            accepts=by_rule(tried=lambda recomputed, micro_batch, sequences: True),
        ),
        Mistake(
            "pays_for_the_size",
            "overhead_flops come once for each micro-batch: sequences / b times, not b times.",
            {"sequences // micro_batch * overhead_flops": "micro_batch * overhead_flops"},
            accepts=by_rule(paid=lambda micro_batch, sequences: micro_batch),
        ),
        Mistake(
            "leaves_a_byte",
            "A design whose peak fills the memory exactly fits.",
            {"peak <= memory_bytes": "peak < memory_bytes"},
            accepts=by_rule(spare=1),
        ),
        Mistake(
            "takes_one_sequence_at_a_time",
            "This tries micro-batches of one sequence alone; larger ones pay the overhead less often.",
            {"range(1, sequences + 1)": "(1,)"},
            accepts=by_rule(tried=lambda recomputed, micro_batch, sequences: micro_batch == 1),
        ),
        Mistake(
            "recomputes_the_head",
            "Full recomputation repeats the layers' forward pass, and not the head's.",
            {'"full": layers * layer}': '"full": layers * layer + 2 * sequence * hidden * vocabulary}'},
            accepts=by_rule(head_again=True),
        ),
        Mistake(
            "never_recomputes_scores_alone",
            "Where a design does not fit with the scores stored, selective recomputation may do: it costs fewer "
            "operations than full recomputation.",
            {', "selective": layers * scores': ""},
            accepts=by_rule(
                tried=lambda recomputed, micro_batch, sequences: (
                    recomputed != "selective" and sequences % micro_batch == 0
                )
            ),
        ),
        Mistake(
            "takes_the_largest_micro_batch",
            "The largest micro-batch may need recomputation that costs more than it saves: compare the operations.",
            largest_micro_batch_of_all,
            accepts=by_rule(largest=True),
        ),
        Mistake(
            "takes_the_whole_step",
            "This is right for one input only: the whole step at once, with nothing recomputed.",
            lambda **run: ("none", run["sequences"]),
        ),
    ],
)
