"""Exercise: the fastest cut of a model that fits, when the batch, the GPUs and the context are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake

Design = tuple[int, int, int]


def choose_cut(
    *,
    gpus: int,
    batch_tokens: int,
    sequence: int,
    places: int,
    parameters: int,
    token_bytes: int,
    memory_bytes: int,
    waits: Mapping[int, float],
    contexts: Sequence[int],
    gather_wait: float,
) -> tuple[int, int, int] | None:
    """Choose t, p and c, so that a step is fastest.

    t is a key of waits, c one of contexts, and p divides the places. A copy
    takes t·p·c GPUs; all GPUs are used, and the sequences of a step are dealt
    evenly, one at a time. A copy needs at least as many micro-batches m as
    stages. A stage has v = places/p chunks.

    Memory: 2 bytes of each weight of a stage, cut among t; 4 bytes for each
    gradient of one chunk; 12 bytes a parameter, cut among all GPUs; and p/m of
    the batch's activations, cut among all GPUs.

    Time: computing takes 1 for every cut. What a tensor group waits comes on
    top, and gather_wait for each context rank but the first. The pipeline
    idles for (p − 1)/(v·m) of all that.

    Args:
        gpus: of the cluster.
        batch_tokens: of a step, a multiple of sequence.
        sequence: tokens of a sequence.
        places: for layers.
        parameters: of the model.
        token_bytes: that all layers keep of a token, before any cut.
        memory_bytes: of a GPU; all of it may be filled.
        waits: for each t that there may be, what a group waits, as a share of
            computing.
        contexts: each c that there may be.
        gather_wait: as a share of computing.

    Returns:
        t, p and c: the fastest that fits, or one that is as fast. ``None``
        where none fits.

    >>> choose_cut(
    ...     gpus=8, batch_tokens=64, sequence=8, places=4, parameters=80,
    ...     token_bytes=10, memory_bytes=400, waits={1: 0.0, 2: 0.25},
    ...     contexts=[1], gather_wait=0.125,
    ... )
    (1, 2, 1)
    """
    best = None
    for t, wait in waits.items():
        for c in contexts:
            for p in range(1, places + 1):
                if places % p or gpus % (t * p * c):
                    continue
                copies, sequences = gpus // (t * p * c), batch_tokens // sequence
                m = sequences // copies
                if sequences % copies or m < p:
                    continue
                weights = 2 * parameters / (t * p)
                gradients = 4 * parameters / (t * places)
                kept = p / m * batch_tokens * token_bytes / gpus
                held = weights + gradients + 12 * parameters / gpus + kept
                step = (1 + wait + gather_wait * (c - 1)) * (1 + (p - 1) / (places / p * m))
                if held <= memory_bytes and (best is None or step < best[0]):
                    best = step, (t, p, c)
    return best and best[1]


HAIR = 1e-9


def why_there_is_not(design: Design, inputs: Inputs, *, few: bool = False) -> str:
    """Say what is wrong with a design that there is not; with ``few`` as one who allows fewer micro-batches."""
    t, p, c = design
    if t not in inputs["waits"]:
        return f"t is one of {', '.join(map(str, inputs['waits']))}"
    if c not in inputs["contexts"]:
        return f"c is one of {', '.join(map(str, inputs['contexts']))}"
    if p < 1 or inputs["places"] % p:
        return f"{p} stages do not divide {inputs['places']} places"
    if inputs["gpus"] % (t * p * c):
        return f"t·p·c = {t * p * c} does not divide {inputs['gpus']} GPUs"
    copies, sequences = inputs["gpus"] // (t * p * c), inputs["batch_tokens"] // inputs["sequence"]
    if sequences % copies or not sequences:
        return f"{copies} copies can't share {sequences} sequences evenly"
    if sequences // copies < p and not few:
        return f"{sequences // copies} micro-batches are fewer than {p} stages"
    return ""


def designs(inputs: Inputs, *, few: bool = False) -> Iterator[Design]:
    """Yield all designs that there are."""
    for design in product(inputs["waits"], range(1, inputs["places"] + 1), inputs["contexts"]):
        if not why_there_is_not(design, inputs, few=few):
            yield design


def cost(
    design: Design,
    inputs: Inputs,
    *,
    bubble: bool = True,
    chunks: bool = True,
    tensor_waits: bool = True,
    gathers: bool = True,
    recycled: bool = True,
    cut_state: bool = False,
    chunk_alone: bool = True,
    optimizer: bool = True,
    context_cut: bool = False,
    spare: int = 0,
    few: bool = False,
) -> tuple[float, float]:
    """Return what a GPU holds and a step's time, by slots of chunks; the options are slips.

    A stage has m·v slots of work, and the last one ends p − 1 slots later than the first would alone.
    """
    (t, p, c), R = design, inputs["gpus"]
    copies = R // (t * p * c)
    m, v = inputs["batch_tokens"] // inputs["sequence"] // copies, inputs["places"] // p
    slots = m * v + (p - 1) * bubble * (1 if chunks else v)
    slot = (1 + inputs["waits"][t] * tensor_waits + inputs["gather_wait"] * (c - 1) * gathers) / (m * v)
    of_a_place = inputs["parameters"] / (inputs["places"] * t)
    weights = 2 * of_a_place * v / (copies * c if cut_state else c if context_cut else 1)
    gradients = 4 * of_a_place * (1 if chunk_alone else v)
    one = inputs["sequence"] * inputs["token_bytes"] / (t * c * p)  # a micro-batch on a stage
    kept = one * ((p if few else min(m, p)) if recycled else m)
    held = weights + gradients + 12 * inputs["parameters"] / R * optimizer + kept + spare
    return held, slots * slot


def fits(design: Design, inputs: Inputs, **slips: Any) -> bool:
    return cost(design, inputs, **slips)[0] <= inputs["memory_bytes"] * (1 + HAIR)


def least_time(inputs: Inputs, *, few: bool = False, **slips: Any) -> float | None:
    """Return the least time of what fits."""
    slips["few"] = few
    there = [cost(one, inputs, **slips) for one in designs(inputs, few=few) if fits(one, inputs, **slips)]
    return min((step for _, step in there), default=None)


def fastest(**inputs: Any) -> str | None:
    """Try every design."""
    least = least_time(inputs)
    return None if least is None else f"one that fits and takes {least:.5g} times its computing"


def fault(chosen: Any, **inputs: Any) -> str:
    """Say what is wrong with the design that is chosen."""
    design: Design = tuple(chosen)
    if why := why_there_is_not(design, inputs):
        return f"{design}: {why}"
    held, step = cost(design, inputs)
    if not fits(design, inputs):
        return f"{design} holds {held:,.0f} bytes, {held - inputs['memory_bytes']:,.0f} too many"
    least = least_time(inputs) or 0.0
    return (
        "" if step <= least * (1 + 1e-6) else f"{design} takes {step:.5g} times its computing, {least:.5g} is possible"
    )


def by_rule(**slips: Any) -> Callable[..., bool]:
    """Return what judges a design by the stub's rules with a slip."""

    def accepts(chosen: Design | None, **inputs: Any) -> bool:
        least = least_time(inputs, **slips)
        if chosen is None or least is None:
            return chosen is None and least is None
        there = not why_there_is_not(chosen, inputs, few=slips.get("few", False))
        return there and fits(chosen, inputs, **slips) and cost(chosen, inputs, **slips)[1] <= least * (1 + 1e-6)

    return accepts


SMALLEST: Inputs = {
    "gpus": 8,
    "batch_tokens": 64,
    "sequence": 8,
    "places": 4,
    "parameters": 80,
    "token_bytes": 10,
    "memory_bytes": 400,
    "waits": {1: 0.0, 2: 0.25},
    "contexts": [1],
    "gather_wait": 0.125,
}
# Two sequences: four stages would be the fastest that fits, but have two micro-batches.
FEW: Inputs = SMALLEST | {
    "gpus": 4,
    "batch_tokens": 16,
    "parameters": 400,
    "token_bytes": 1,
    "memory_bytes": 1850,
    "waits": {1: 0.0, 2: 2.0},
}


def cluster(
    gpus: int,
    batch_tokens: int,
    sequence: int,
    places: int,
    parameters: int,
    token_bytes: int,
    memory_bytes: int,
    waits: Mapping[int, float],
    contexts: Sequence[int],
    gather_wait: float,
) -> Inputs:
    return {
        "gpus": gpus,
        "batch_tokens": batch_tokens,
        "sequence": sequence,
        "places": places,
        "parameters": parameters,
        "token_bytes": token_bytes,
        "memory_bytes": memory_bytes,
        "waits": waits,
        "contexts": contexts,
        "gather_wait": gather_wait,
    }


# Near misses: sequences that can't be dealt evenly, the bubble on a part of the time, c for c − 1, m no multiple of p,
# stages that are no power of two, GPUs left over only because of c, times that differ by little, 16 GPUs to a group.
NEAR: list[Inputs] = [
    cluster(6, 44, 4, 8, 30, 4, 177, {1: 1.0}, [1], 0.25),
    cluster(24, 64, 8, 8, 44, 1, 94, {4: 0.5}, [2], 0.125),
    cluster(12, 248, 8, 6, 43, 20, 285, {2: 1.0}, [1, 3], 0.125),
    cluster(12, 148, 4, 12, 84, 4, 321, {1: 0.125}, [1, 2, 8], 0.25),
    cluster(32, 296, 8, 16, 143, 15, 486, {2: 1.0}, [1, 4], 0.25),
    cluster(64, 44, 4, 8, 370, 19, 1495, {4: 1.0}, [2, 8], 0.25),
    cluster(12, 40, 8, 12, 176, 1, 1388, {1: 1.0}, [3, 4], 0.25),
    cluster(64, 40, 8, 8, 41, 12, 117, {2: 0.0}, [8], 0.25),
    cluster(24, 40, 4, 6, 75, 3, 279, {2: 0.5}, [4], 0.125),
    cluster(12, 8, 8, 8, 90, 2, 285, {4: 0.0}, [2], 0.25),
    cluster(24, 244, 4, 6, 48, 17, 98, {4: 1.0}, [2], 0.25),
    cluster(2, 16, 8, 1, 1, 1, 1000, {1: 0.0004, 2: 0.0}, [1], 0.1),
    cluster(32, 52, 4, 8, 25, 8, 106, {16: 0.0}, [2], 0.125),
    cluster(48, 144, 8, 12, 340, 5, 548, {1: 0.0}, [1, 2, 4], 0.25),
    cluster(24, 184, 4, 8, 103, 16, 106, {2: 0.0}, [3], 0.125),
]
# Llama 3 405B: what the chapter's model gives for its shapes, rounded.
SHORT: Inputs = {
    "gpus": 16_384,
    "batch_tokens": 2**24,
    "sequence": 8_192,
    "places": 128,
    "parameters": 405_853_388_800,
    "token_bytes": 66_650_112,
    "memory_bytes": 80 * 10**9,
    "waits": {1: 0.0, 2: 0.015, 4: 0.054, 8: 0.13, 16: 0.36},
    "contexts": [1],
    "gather_wait": 0.0065,
}
LONG: Inputs = SHORT | {"sequence": 131_072, "contexts": [1, 2, 4, 8, 16]}


def with_limits(base: Inputs) -> Iterator[Inputs]:
    """Yield a cluster with memories just above what its designs hold, and below the least."""
    held = sorted({cost(one, base)[0] for one in designs(base)})
    for size in held[:: max(1, len(held) // 8)]:
        yield {**base, "memory_bytes": int(size * 1.01) + 1}
        yield {**base, "memory_bytes": max(1, int(size))}
    if held:
        yield {**base, "memory_bytes": max(1, int(held[0] * 0.9))}


def rounding_decides(inputs: Inputs) -> bool:
    """Say whether a design just fills the memory whose bytes floats may miss: something is cut in no power of two."""
    return any(
        exact_bytes(design, inputs) == inputs["memory_bytes"] and any(ways & (ways - 1) for ways in cuts)
        for design, cuts in ((one, cuts_of(one, inputs)) for one in designs(inputs))
    )


def cuts_of(design: Design, inputs: Inputs) -> tuple[int, ...]:
    """Return in how many parts a design cuts weights, gradients, optimizer, a batch and a sequence."""
    (t, p, c), gpus = design, inputs["gpus"]
    batch = inputs["batch_tokens"] // inputs["sequence"] // (gpus // (t * p * c))
    return t * p, t * inputs["places"], gpus, batch, c


def exact_bytes(design: Design, inputs: Inputs) -> Fraction:
    """Return what a GPU holds, without rounding."""
    weights, gradients, gpus, batch, _ = cuts_of(design, inputs)
    kept = Fraction(design[1] * inputs["batch_tokens"] * inputs["token_bytes"], batch * gpus)
    return inputs["parameters"] * (Fraction(2, weights) + Fraction(4, gradients) + Fraction(12, gpus)) + kept


def drawn(chance: Random) -> list[Inputs]:
    """Return clusters as the book's, without those where a float's rounding decides whether a design fits."""
    return [one for one in some_clusters(chance) if not rounding_decides(one)]


def some_clusters(chance: Random) -> list[Inputs]:
    found: list[Inputs] = []
    for _ in range(18):
        sizes = chance.choice(((1, 2), (1, 2, 4), (1, 2, 4, 8)))
        worst = chance.choice((0.05, 0.2, 0.6))
        gpus = chance.choice((16, 32, 64))
        base = {
            "gpus": gpus,
            "batch_tokens": 16 * chance.choice((2, 4, 8, 16, 32, 64)),
            "sequence": 16,
            "places": chance.choice((4, 8, 12, 16)),
            "parameters": gpus * chance.randint(2, 40),
            "token_bytes": chance.choice((1, 5, 40, 200)),
            "memory_bytes": 0,
            "waits": {t: round(worst * (t - 1) / 7, 4) for t in sizes},
            "contexts": chance.choice(([1], [1, 2], [1, 2, 4])),
            "gather_wait": chance.choice((0.01, 0.05, 0.2)),
        }
        several = list(with_limits(base))
        found += chance.sample(several, min(6, len(several)))
    for _ in range(24):  # odd GPUs, stages and sequences, among few groups
        base = cluster(
            gpus=chance.choice((12, 24, 36, 48)),
            batch_tokens=8 * chance.randint(2, 60),
            sequence=8,
            places=chance.choice((6, 8, 12)),
            parameters=chance.randint(20, 400),
            token_bytes=chance.randint(1, 20),
            memory_bytes=0,
            waits={chance.choice((1, 2, 3, 4)): chance.choice((0.0, 0.5, 1.0))},
            contexts=chance.choice(([1, 2], [1, 3], [2, 3], [1, 2, 4])),
            gather_wait=chance.choice((0.125, 0.25)),
        )
        several = list(with_limits(base))
        found += chance.sample(several, min(2, len(several)))
    return found


def taught() -> str:
    short, long = choose_cut(**SHORT), choose_cut(**LONG)
    half = choose_cut(**(LONG | {"gpus": 8_192}))
    assert short is not None
    assert long is not None
    eight = min(cost(one, LONG)[1] for one in designs(LONG) if one[2] == 8 and fits(one, LONG))
    return (
        f"Llama 3 at 8,192 tokens: t, p, c = {short}; at 131,072 tokens {long}. The best with eight context ranks "
        f"takes {100 * (eight / cost(long, LONG)[1] - 1):.0f}% longer. With half the GPUs it's {half}."
    )


CHOICE = Choice("cut", fastest, fault, none="None, since nothing fits")

EXERCISE = Exercise(
    choose_cut,
    number=4,
    level="hard",
    asked="the fastest (t, p, c) that fits",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        SMALLEST,
        SMALLEST | {"memory_bytes": 10},
        SMALLEST | {"memory_bytes": 300},
        SMALLEST | {"memory_bytes": 250, "contexts": [1, 2]},
        FEW,
        *NEAR,
        SHORT,
        LONG,
        LONG | {"gpus": 8_192},
    ],
    inputs=some_clusters(Random(37)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_bubble",
            "A pipeline idles for (p − 1)/(v·m) of its work.",
            {" * (1 + (p - 1) / (places / p * m))": ""},
            accepts=by_rule(bubble=False),
        ),
        Mistake(
            "forgets_the_chunks",
            "With v chunks on a stage the bubble is a v-th as long.",
            {"(places / p * m)": "m"},
            accepts=by_rule(chunks=False),
        ),
        Mistake(
            "forgets_the_tensor_waits",
            "A tensor group waits for its sums, the longer the more GPUs it has.",
            {"1 + wait + gather": "1 + gather"},
            accepts=by_rule(tensor_waits=False),
        ),
        Mistake(
            "gathers_for_free",
            "Context ranks wait for keys and values, for every rank but the first.",
            {" + gather_wait * (c - 1)": ""},
            accepts=by_rule(gathers=False),
        ),
        Mistake(
            "keeps_the_whole_batch",
            "With more micro-batches than stages, p of them are in flight and not all m.",
            {"p / m * batch_tokens": "batch_tokens"},
            accepts=by_rule(recycled=False),
        ),
        Mistake(
            "cuts_the_weights_among_copies",
            "Weights are cut among t and p alone: each copy, and each context rank, keeps its stage's whole.",
            {"2 * parameters / (t * p)": "2 * parameters / gpus"},
            accepts=by_rule(cut_state=True),
        ),
        Mistake(
            "keeps_all_gradients",
            "The gradients of one chunk are there at a time, not those of the whole stage.",
            {"4 * parameters / (t * places)": "4 * parameters / (t * p)"},
            accepts=by_rule(chunk_alone=False),
        ),
        Mistake(
            "forgets_the_optimizer",
            "The optimizer's 12 bytes a parameter are cut among all GPUs, but they are there.",
            {" + 12 * parameters / gpus": ""},
            accepts=by_rule(optimizer=False),
        ),
        Mistake(
            "cuts_the_weights_among_context",
            "Context ranks cut a sequence, not the weights: each keeps its stage's t-th whole.",
            {"2 * parameters / (t * p)": "2 * parameters / (t * p * c)"},
            accepts=by_rule(context_cut=True),
        ),
        Mistake(
            "allows_few_micro_batches",
            "A copy needs at least as many micro-batches as stages here.",
            {" or m < p": ""},
            accepts=by_rule(few=True),
        ),
        Mistake(
            "leaves_a_byte_free",
            "All of the memory may be used: what fills it exactly fits.",
            {"<= memory_bytes and": "< memory_bytes and"},
            accepts=by_rule(spare=1),
        ),
        Mistake("says_one_cut", "This is right for one input only.", lambda **_: (1, 1, 1)),
    ],
)
