"""Exercise: the largest GPT that one GPU trains in time and within its memory, by exact counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.flops import gpt_training_flops
from snippets.models import gpt_parameter_count

SHAPE, TIME, STATE, SIZE = "shape", "operations", "state", "parameters"
VOCABULARY = 50257
DAY_S = 86_400


def choose_model(
    *,
    days: float,
    flops_per_s: float,
    memory_bytes: int,
    state_bytes: int,
    tokens: int,
    sequence: int,
) -> tuple[int, int]:
    """Choose layers L and width d of a GPT that one GPU can train.

    Allowed are L from 1 to 64 and d from 128 to 4096 in steps of 128, with
    32 L <= d <= 128 L. The model is a GPT-2 of 50257 tokens and as many
    positions as a sequence has, which makes

        12 L d² + 13 L d + (50257 + sequence) d + 2 d parameters.

    A token costs 72 L d² + 12 L d sequence + 6 · 50257 d operations, forward
    and backward.

    Args:
        days: that the run may take, of 86,400 s each.
        flops_per_s: what the GPU achieves.
        memory_bytes: of the GPU that the state of training may fill.
        state_bytes: of a parameter: weight, gradient, optimizer state.
        tokens: of the run.
        sequence: tokens of one sequence.

    Returns:
        L and d of any model that keeps to both limits and has at least 98% of
        the parameters of the largest that does.

    >>> choose_model(days=1.0, flops_per_s=1e12, memory_bytes=10**9,
    ...              state_bytes=16, tokens=10**9, sequence=256)
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
            in_memory = state_bytes * parameters <= memory_bytes
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
    return inputs["days"] * DAY_S * inputs["flops_per_s"] / sequences, inputs["memory_bytes"] / inputs["state_bytes"]


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
    layers, hidden = function(**inputs)
    right = wanted(**inputs)
    if not is_allowed(layers, hidden):
        return {SHAPE: f"L = {layers}, d = {hidden}"}
    most_work, most_parameters = limits(inputs)
    parameters, work = counts(int(layers), int(hidden), inputs["sequence"])
    seen = dict(right)
    if work > most_work * (1 + 1e-9):
        seen[TIME] = f"{work / most_work * inputs['days']:.4g} days with L = {layers}, d = {hidden}"
    if parameters > most_parameters:
        seen[STATE] = f"{parameters * inputs['state_bytes']:,} bytes with L = {layers}, d = {hidden}"
    largest, _ = best(inputs["sequence"], most_work, most_parameters)
    if parameters < 0.98 * largest:
        seen[SIZE] = f"{parameters:,} with L = {layers}, d = {hidden}"
    return seen


def wanted(**inputs: Any) -> Observation:
    most_work, most_parameters = limits(inputs)
    largest, (layers, hidden) = best(inputs["sequence"], most_work, most_parameters)
    return {
        SHAPE: "L from 1 to 64, d a multiple of 128 to 4096, 32 L <= d <= 128 L",
        TIME: f"at most {inputs['days']:g} days",
        STATE: f"at most {inputs['memory_bytes']:,} bytes",
        SIZE: f"at least 98% of {largest:,} (L = {layers}, d = {hidden})",
    }


def job(days: float, flops_per_s: float, memory_bytes: float, state: int, tokens: float, sequence: int) -> Inputs:
    return {
        "days": days,
        "flops_per_s": flops_per_s,
        "memory_bytes": int(memory_bytes),
        "state_bytes": state,
        "tokens": int(tokens),
        "sequence": sequence,
    }


# What a token costs by the solution, and what a mistake puts in its place.
COST = "6 * matrices + attention + 6 * 50257 * hidden"

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
    inputs=[
        job(days, 100e12, memory, state, tokens, sequence)
        for days in (7.0, 90.0)
        for memory, state in ((16e9, 16), (40e9, 12), (80e9, 18))
        for tokens, sequence in ((3e9, 512), (30e9, 16384))
    ],
    mistakes=[
        Mistake(
            "trusts_six_n_d",
            "6ND leaves attention's products out; with long sequences the run then takes longer than it may.",
            {COST: "6 * parameters"},
        ),
        Mistake(
            "forgets_attention",
            "Attention's own products are missing: 12 L d n operations for each token.",
            {COST: "6 * matrices + 6 * 50257 * hidden"},
        ),
        Mistake(
            "forgets_the_head",
            "The head's product is missing: 6 V d operations for each token.",
            {COST: "6 * matrices + attention"},
        ),
        Mistake(
            "ignores_memory",
            "The model is trained in time, and its state does not fit.",
            {"in_time and in_memory": "in_time"},
        ),
        Mistake(
            "ignores_time",
            "The state fits, and the run takes longer than it may.",
            {"in_time and in_memory": "in_memory"},
        ),
        Mistake(
            "counts_gibibytes",
            "memory_bytes is in bytes already, and 10⁹ of them are a GB: nothing is to be converted.",
            {"<= memory_bytes": "<= memory_bytes / 10**9 * 2**30"},
        ),
        Mistake(
            "always_sixteen_bytes",
            "The recipe is given: state_bytes for each parameter, not always 16.",
            {"state_bytes * parameters": "16 * parameters"},
        ),
        Mistake(
            "counts_weights_alone",
            "This fits the 16-bit weights into memory; gradients and optimizer state have to fit too.",
            {"state_bytes * parameters": "2 * parameters"},
        ),
        Mistake(
            "counts_the_forward_pass",
            "A token costs three forward passes: one forward, two backward.",
            {COST: "2 * matrices + attention / 3 + 2 * 50257 * hidden"},
        ),
        Mistake(
            "widest_first",
            "The widest model with the fewest layers is not the largest: both multiply.",
            lambda **inputs: max(
                (
                    (hidden, layers, (layers, hidden))
                    for layers, hidden in shapes()
                    if counts(layers, hidden, inputs["sequence"])[1] <= limits(inputs)[0]
                    and counts(layers, hidden, inputs["sequence"])[0] <= limits(inputs)[1]
                ),
                key=lambda entry: (entry[0], -entry[1]),
            )[2],
        ),
        Mistake(
            "returns_the_width_first",
            "This is (d, L); asked is (L, d).",
            {"best, largest = (layers, hidden)": "best, largest = (hidden, layers)"},
        ),
        Mistake("is_always_one_shape", "This looks at none of the limits.", lambda **_: (4, 128)),
    ],
)
