"""Exercise: the largest GPT that one GPU trains in time and within its memory, by exact counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.flops import gpt_training_flops
from snippets.models import gpt_parameter_count

SHAPE, TIME, STATE, SIZE = "shape", "days", "state", "parameters"
VOCABULARY = 50257
DAY_S = 86_400


def choose_model(
    *,
    days: float,
    flops_per_s: float,
    memory_bytes: int,
    bytes_per_parameter: int,
    tokens: int,
    sequence: int,
) -> tuple[int, int]:
    """Choose layers L and width h of a GPT that one GPU can train.

    Allowed are L from 1 to 64 and h from 128 to 4096 in steps of 128, with
    32 L <= h <= 128 L; in every case asked, L = 1 with h = 128 keeps to both
    limits. The model is a GPT-2 of 50257 tokens, with as many positions as a
    sequence has tokens.

    Its parameters are those of exercise 2, biases and norms among them. The
    FLOPs of its training are those of exercise 3: all matmuls, forward and
    backward, the whole s × s of attention, and the head.

    Args:
        days: that the run may take, of 86,400 s each; 0.5 is half a day.
        flops_per_s: what the GPU achieves.
        memory_bytes: of the GPU that the state of training may fill.
        bytes_per_parameter: of the state: weight, gradient, optimizer state.
        tokens: of the run.
        sequence: tokens of one sequence.

    Returns:
        L and h of any model that keeps to both limits and has at least 98% of
        the parameters of the largest that does.

    >>> choose_model(days=1.0, flops_per_s=1e12, memory_bytes=10**9,
    ...              bytes_per_parameter=16, tokens=10**9, sequence=256)
    (4, 128)
    """
    best, largest = (1, 128), 0
    for layers in range(1, 65):
        for hidden in range(128, 4097, 128):
            if not 32 * layers <= hidden <= 128 * layers:
                continue
            matrices = 12 * layers * hidden**2
            tables = (50257 + sequence) * hidden
            parameters = matrices + 13 * layers * hidden + tables + 2 * hidden
            attention = 12 * layers * hidden * sequence
            token_flops = 6 * matrices + attention + 6 * 50257 * hidden
            in_time = token_flops * tokens <= days * 86400 * flops_per_s
            in_memory = bytes_per_parameter * parameters <= memory_bytes
            if in_time and in_memory and parameters > largest:
                best, largest = (layers, hidden), parameters
    return best


@cache
def counts(layers: int, hidden: int, sequence: int) -> tuple[int, int]:
    """Parameters, and operations for one sequence, from the book's formulas for whole models."""
    closed = gpt_parameter_count(layers=layers, hidden=hidden, vocabulary=VOCABULARY, positions=sequence)
    work = gpt_training_flops(batch=1, sequence=sequence, layers=layers, hidden=hidden, vocabulary=VOCABULARY)
    return closed + 2 * hidden, work  # the paper's form leaves out the last norm


def is_allowed(layers: int, hidden: int) -> bool:
    whole = 1 <= layers <= 64 and 128 <= hidden <= 4096 and hidden % 128 == 0
    return whole and 32 * layers <= hidden <= 128 * layers


@cache
def shapes() -> tuple[tuple[int, int], ...]:
    return tuple((layers, d) for layers in range(1, 65) for d in range(128, 4097, 128) if is_allowed(layers, d))


def limits(inputs: Inputs) -> tuple[float, float]:
    """The most operations for one sequence, and the most parameters."""
    sequences = inputs["tokens"] / inputs["sequence"]
    return inputs["days"] * DAY_S * inputs["flops_per_s"] / sequences, inputs["memory_bytes"] / inputs[
        "bytes_per_parameter"
    ]


@cache
def best(sequence: int, most_work: float, most_parameters: float) -> tuple[int, tuple[int, int]]:
    """Count every allowed shape; return the parameters of the largest within both limits, and its shape."""
    fitting = []
    for shape in shapes():
        parameters, work = counts(*shape, sequence)
        if work <= most_work * (1 + 1e-9) and parameters <= most_parameters:
            fitting.append((parameters, shape))
    return max(fitting)


def observe(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Count the chosen model: any that keeps to the limits and is large enough is right."""
    chosen, right = function(**inputs), wanted(**inputs)
    if chosen is None:
        return {SHAPE: "None; L = 1 with h = 128 keeps to both limits here"}
    layers, hidden = chosen
    if not is_allowed(layers, hidden):
        return {SHAPE: f"L = {layers}, h = {hidden}"}
    most_work, most_parameters = limits(inputs)
    parameters, work = counts(int(layers), int(hidden), inputs["sequence"])
    seen = dict(right)
    if work > most_work * (1 + 1e-9):
        days = work / most_work * inputs["days"]
        seen[TIME] = f"{days:.{4 if days > 1.001 * inputs['days'] else 10}g} with L = {layers}, h = {hidden}"
    if parameters > most_parameters:
        seen[STATE] = f"{parameters * inputs['bytes_per_parameter']:,} bytes with L = {layers}, h = {hidden}"
    largest, _ = best(inputs["sequence"], most_work, most_parameters)
    if parameters < 0.98 * largest:
        seen[SIZE] = f"{parameters:,} with L = {layers}, h = {hidden}"
    return seen


def wanted(**inputs: Any) -> Observation:
    most_work, most_parameters = limits(inputs)
    largest, (layers, hidden) = best(inputs["sequence"], most_work, most_parameters)
    return {
        SHAPE: "L from 1 to 64, h a multiple of 128 to 4096, 32 L <= h <= 128 L",
        TIME: f"at most {inputs['days']:g}",
        STATE: f"at most {inputs['memory_bytes']:,} bytes",
        SIZE: f"at least 98% of {largest:,} (L = {layers}, h = {hidden})",
    }


def job(days: float, flops_per_s: float, memory_bytes: float, state: int, tokens: float, sequence: int) -> Inputs:
    return {
        "days": days,
        "flops_per_s": flops_per_s,
        "memory_bytes": int(memory_bytes),
        "bytes_per_parameter": state,
        "tokens": int(tokens),
        "sequence": sequence,
    }


# What a token costs by the solution, and what a mistake puts in its place.
COST = "6 * matrices + attention + 6 * 50257 * hidden"


def by_rule(
    *,
    size: Callable[[int, int, int], int] = lambda layers, hidden, sequence: counts(layers, hidden, sequence)[0],
    work: Callable[[int, int, int], int] = lambda layers, hidden, sequence: counts(layers, hidden, sequence)[1],
    shaped: Callable[[int, int], bool] = lambda layers, hidden: True,
    room: float = 1.0,
    is_swapped: bool = False,
) -> Callable[..., bool]:
    """Return what judges a model by other counts, another memory or fewer shapes: whether it is 98% of the largest."""

    def accepts(chosen: tuple[int, int], **inputs: Any) -> bool:
        most_work, most_parameters = limits(inputs)
        sequence, found = inputs["sequence"], {}
        for shape in shapes():
            parameters = size(*shape, sequence)
            in_time = work(*shape, sequence) <= most_work * (1 + 1e-9)
            if shaped(*shape) and in_time and parameters <= most_parameters * room:
                found[shape] = parameters
        layers, hidden = reversed(chosen) if is_swapped else chosen
        return not found or found.get((layers, hidden), 0) >= 0.98 * max(found.values())

    return accepts


def taught() -> str:
    shapes_of = {n: choose_model(**job(30.0, 124.8e12, 80e9, 16, 20e9, n)) for n in (1024, 8192)}
    short, long = (counts(*shape, n)[0] for n, shape in shapes_of.items())
    (layers, hidden), (deep, wide) = shapes_of.values()
    return (
        f"For 1,024 tokens the largest has L = {layers}, h = {hidden} and {short / 1e9:.2f} billion parameters, for "
        f"8,192 L = {deep}, h = {wide} and {long / 1e9:.2f} billion. Time is the limit: the first one's state fills "
        f"{16 * short / 1e9:.1f} of the 80 GB. Attention on longer sequences costs {1 - long / short:.0%} of the model."
    )


INPUTS: list[Inputs] = [
    # Few inputs repeat a number, so that what they have in common is the reason for a failure.
    job(7.0, 100e12, 16e9, 16, 3e9, 512),
    job(7.0, 100e12, 17e9, 18, 30e9, 16384),
    job(14.0, 50e12, 2e9, 20, 13e9, 65536),
    job(90.0, 100e12, 40e9, 12, 4e9, 256),
    job(91.0, 124.8e12, 80e9, 10, 28e9, 12288),
    job(60.0, 150e12, 18e9, 16, 2e9, 16384),
    job(45.0, 200e12, 21e9, 14, 6e9, 8192),
    job(14.0, 300e12, 24e9, 20, 12e9, 4096),
    job(3.0, 90e12, 12e9, 12, 32e9, 4096),
    job(120.0, 80e12, 32e9, 18, 100e9, 32768),
    # part of a day; the flattest and the steepest shape; the widest and deepest model
    job(1.5, 125e12, 41e9, 12, 10e9, 2048),
    job(3.5, 1e13, 19e9, 16, 20e9, 1024),
    job(0.5, 5e13, 80e9, 18, 5e9, 512),
    job(365.0, 9e17, 1e13, 16, 1e9, 1024),
    # a byte less than L = 5 and h = 384 need; time that is just enough for L = 1 and h = 128, and for L = 2, and
    # one operation a token too little for L = 2; memory that is just enough for L = 1 and h = 128
    job(365.0, 9e17, 457_039_871, 16, 1e9, 1024),
    job(1.0, 401702400000.0, 1e9, 16, 864_000_000, 256),
    job(2.0, 433159680000.0, 2e9, 12, 1_728_000_000, 768),
    job(1.0, 425295350000.0, 1e9, 14, 864_000_000, 512),
    job(1.0, 1e12, 121_135_104, 18, 1e9, 768),
    # memory that is just enough for L = 2 and h = 128, and for L = 33 and h = 1024, which is too deep
    job(4.0, 1e14, 110_848_000, 16, 1e9, 768),
    job(200.0, 1e15, 6_554_648_576, 14, 1e9, 1024),
]


def drawn(chance: Random) -> list[Inputs]:
    """Return jobs whose limits a shape just meets, one in time and another in memory, beside the book's own."""
    found = []
    for _ in range(24):
        sequence, state = 2 ** chance.randint(8, 15), chance.randrange(10, 21, 2)
        days, tokens = chance.randint(1, 180) / 2, chance.randint(1, 60) * 1e9
        (_, work), (parameters, _) = (counts(*chance.choice(shapes()), sequence) for _ in range(2))
        flops_per_s = float(f"{1.001 * work * tokens / sequence / (days * DAY_S):.4g}")
        found.append(job(days, flops_per_s, parameters * state + chance.randrange(state), state, tokens, sequence))
    return [*INPUTS, *found]


EXERCISE = Exercise(
    choose_model,
    number=4,
    level="hard",
    asked="layers and width of a GPT that one GPU trains in time and in memory, at least 98% as large as the largest",
    expected=wanted,
    observe=observe,
    examples=[
        job(1.0, 1e12, 1e9, 16, 1e9, 256),
        job(30.0, 124.8e12, 80e9, 16, 20e9, 1024),
        job(30.0, 124.8e12, 80e9, 16, 20e9, 8192),
        job(365.0, 124.8e12, 24e9, 16, 20e9, 1024),
        job(365.0, 124.8e12, 24e9, 12, 20e9, 1024),
        job(365.0, 395.8e12, 141e9, 12, 20e9, 2048),
        job(30.0, 124.8e12, 40e9, 16, 5e9, 2048),
    ],
    taught=taught,
    inputs=INPUTS,
    drawn=drawn,
    mistakes=[
        Mistake(
            "trusts_six_n_d",
            "6ND leaves attention's own matmuls out, so a run can take longer than it says, most of all with long "
            "sequences.",
            {COST: "6 * parameters"},
            accepts=by_rule(work=lambda L, d, n: 6 * n * counts(L, d, n)[0]),
        ),
        Mistake(
            "forgets_attentions_products",
            "Attention's own matmuls are missing: 12 L h s FLOPs for each token.",
            {COST: "6 * matrices + 6 * 50257 * hidden"},
            accepts=by_rule(work=lambda L, d, n: counts(L, d, n)[1] - 12 * L * d * n**2),
        ),
        Mistake(
            "forgets_the_head",
            "The head's matmul is missing, or isn't counted for every token: 6 V h FLOPs for each.",
            {COST: "6 * matrices + attention"},
            accepts=by_rule(work=lambda L, d, n: counts(L, d, n)[1] - 6 * VOCABULARY * d * n),
        ),
        Mistake(
            "halves_attention_for_the_mask",
            "This counts half of attention's own matmuls. If for the mask: by the convention of exercise 3 it saves "
            "nothing. Otherwise one of the two is missing, or in both a multiplication with its addition counts as "
            "one.",
            {COST: "6 * matrices + attention / 2 + 6 * 50257 * hidden"},
            accepts=by_rule(work=lambda L, d, n: counts(L, d, n)[1] - 6 * L * d * n**2),
        ),
        Mistake(
            "forgets_biases_and_norms",
            "Some or all of the biases and norms are missing. Together they are 13 L h + 2 h parameters, whose state "
            "can be what does not fit.",
            {"matrices + 13 * layers * hidden + tables + 2 * hidden": "matrices + tables"},
            accepts=by_rule(size=lambda L, d, n: counts(L, d, n)[0] - 13 * L * d - 2 * d),
        ),
        Mistake(
            "keeps_off_the_steepest",
            "32 L <= h is allowed with the equals sign: this leaves out h = 32 L.",
            {"not 32 * layers <= hidden": "not 32 * layers < hidden"},
            accepts=by_rule(shaped=lambda L, d: d > 32 * L),
        ),
        Mistake(
            "ignores_memory",
            "The model is trained in time, and its state does not fit.",
            {"in_time and in_memory": "in_time"},
            accepts=by_rule(room=math.inf),
        ),
        Mistake(
            "ignores_time",
            "The state fits, and the run takes longer than it may.",
            {"in_time and in_memory": "in_memory"},
            accepts=by_rule(work=lambda *_: 0),
        ),
        Mistake(
            "counts_gibibytes",
            "memory_bytes is in bytes already, and 10⁹ of them are a GB: nothing is to be converted.",
            {"<= memory_bytes": "<= memory_bytes / 10**9 * 2**30"},
            accepts=by_rule(room=2**30 / 10**9),
        ),
        Mistake(
            "returns_the_width_first",
            "This is (h, L); asked is (L, h).",
            {"best, largest = (layers, hidden)": "best, largest = (hidden, layers)"},
            accepts=by_rule(is_swapped=True),
        ),
        Mistake("is_always_one_shape", "This looks at none of the limits.", lambda **_: (4, 128)),
    ],
)
