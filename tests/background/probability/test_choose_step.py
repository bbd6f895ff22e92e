"""What exercise 5 of chapter A2 says of a design is what simulated workers do; designs within the limits pass."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest

from exercises.background.probability.choose_step import (
    DESIGN,
    ERROR,
    EXERCISE,
    KEPT,
    MEMORY,
    TIME,
    WORKERS,
    all_kept,
    choose_step,
    error_of,
    fastest_s,
    observe,
    seen,
    step_s,
    task,
)
from grader.judging import judge
from snippets.background.probability import simulators as sampling

COSTS = ((1.0, 0.25, 0.125), (0.5, 0.5, 1.0), (2.0, 0.125, 0.5), (0.0625, 1.0, 2.0))
INPUTS = [
    *EXERCISE.examples,
    *(
        task(variance, 0.75, most, workers, costs=costs, slack=1.0625)
        for variance, most, workers, costs in product((16.0, 90.25), (2, 12), (2, 7, 12), COSTS)
    ),
]


def designs(**inputs: Any) -> list[tuple[int, int, int]]:
    limits = [range(1, min(inputs[name], 40) + 2) for name in ("most_examples", "most_workers")]
    return [(examples, workers, passes) for examples, workers in product(*limits) for passes in range(1, 60)]


@pytest.mark.parametrize("inputs", INPUTS, ids=str)
def test_the_solution_keeps_the_limits(inputs: dict[str, Any]) -> None:
    assert observe(choose_step, **inputs) == all_kept()


@pytest.mark.parametrize("inputs", INPUTS[:6] + INPUTS[7::5], ids=str)
def test_exactly_the_designs_within_the_limits_pass(inputs: dict[str, Any]) -> None:
    costs = {name: inputs[name] for name in ("pass_s", "example_s", "message_s")}
    passing = 0
    for design in designs(**inputs):
        examples, workers, passes = design
        draws = examples * workers * passes
        time = passes * (costs["pass_s"] + examples * costs["example_s"]) + 2 * (workers - 1) * costs["message_s"]
        kept = {
            WORKERS: workers <= inputs["most_workers"],
            MEMORY: examples <= inputs["most_examples"],
            ERROR: inputs["variance"] <= inputs["error"] ** 2 * draws * (1 + 1e-9),
            TIME: time <= inputs["deadline_s"] * (1 + 1e-9),
        }
        found = seen(*design, **inputs)
        assert (found == all_kept()) == all(kept.values())
        if kept[WORKERS]:
            assert {name: found[name] == KEPT for name in kept} == kept
        passing += all(kept.values())
    assert passing


def test_several_designs_of_the_chapter_pass() -> None:
    question = EXERCISE.examples[-1]
    passing = [workers for workers in range(1, 65) if seen(-(-8442 // workers), workers, 1, **question) == all_kept()]
    assert passing == list(range(33, 49))


def test_what_breaks_a_limit_is_said_with_its_size() -> None:
    question = EXERCISE.examples[-1]
    assert seen(132, 64, 1, **question)[TIME] == "0.01724 s, where 0.015 s is allowed"
    assert seen(257, 33, 1, **question)[MEMORY] == "257, where 256 are allowed"
    assert seen(100, 40, 1, **question)[ERROR] == "1.053, where 0.7251 is allowed"
    assert seen(100, 65, 2, **question)[WORKERS] == "65, where 64 are allowed"
    assert DESIGN in seen(0, 1, 1, **question)
    assert seen(10, 10, 0, **question) != all_kept()


def test_the_deadline_is_counted_from_the_fastest_step() -> None:
    for inputs in INPUTS[7::7]:
        given = {name: value for name, value in inputs.items() if name != "deadline_s"}
        costs = {name: inputs[name] for name in ("pass_s", "example_s", "message_s")}
        need = next(n for n in range(1, 10**4) if inputs["variance"] <= inputs["error"] ** 2 * n)
        fitting = [
            step_s(examples, workers, passes, **costs)
            for examples, workers in product(
                range(1, inputs["most_examples"] + 1), range(1, inputs["most_workers"] + 1)
            )
            for passes in range(1, need + 1)
            if examples * workers * passes >= need
        ]
        assert fastest_s(**given) == pytest.approx(min(fitting))


def test_the_error_is_that_of_simulated_workers() -> None:
    generator = np.random.default_rng(2)
    every = generator.normal(size=(500, 3))
    variance = sampling.gradient_variance(every)
    examples, workers, passes = 3, 4, 2
    drawn = sampling.draw_batches(generator, population=500, batch_size=examples, batches=4_000 * workers * passes)
    steps = sampling.combine_ranks(sampling.batch_gradients(every, drawn), ranks=workers * passes)
    found = sampling.compare_with_full(steps, every.mean(axis=0)).batch_variance ** 0.5
    assert found == pytest.approx(error_of(examples * workers * passes, variance), rel=0.03)


def first_within(given: dict[str, Any], counts: Iterable[int]) -> tuple[int, int, int]:
    """Return the first design within the limits, of the numbers of workers in their order."""
    draws = math.ceil(given["variance"] / given["error"] ** 2)
    for workers in counts:
        fewest = -(-draws // (workers * given["most_examples"]))
        for passes in range(fewest, min(draws, fewest + 12) + 1):
            examples = -(-draws // (workers * passes))
            if seen(examples, workers, passes, **given) == all_kept():
                return examples, workers, passes
    raise AssertionError("no design keeps the limits")


def test_the_fewest_and_the_most_workers_pass() -> None:
    for counts in (lambda most: range(1, most + 1), lambda most: range(most, 0, -1)):
        verdict = judge(EXERCISE, lambda counts=counts, **given: first_within(given, counts(given["most_workers"])))
        assert verdict.status == "solved"


def pays_a_pass_once(**given: Any) -> tuple[int, int, int]:
    draws, designs_ = math.ceil(given["variance"] / given["error"] ** 2), []
    for workers in range(1, given["most_workers"] + 1):
        passes = -(-draws // (workers * given["most_examples"]))
        examples = -(-draws // (workers * passes))
        time = given["pass_s"] + passes * examples * given["example_s"] + 2 * (workers - 1) * given["message_s"]
        designs_.append((time, (examples, workers, passes)))
    return min(designs_)[1]


def gives_all_draws(**given: Any) -> tuple[int, int, int]:
    examples, workers, passes = choose_step(**given)
    return examples * workers * passes, workers, passes


def exchanges_examples_and_workers(**given: Any) -> tuple[int, int, int]:
    examples, workers, passes = choose_step(**given)
    return workers, examples, passes


def nothing_at_all(**_: Any) -> tuple[int, int, int]:
    return 0, 0, 0


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (pays_a_pass_once, "time of a step"),
        (gives_all_draws, "examples at once"),
        (exchanges_examples_and_workers, "workers"),
        (nothing_at_all, "each a whole number of at least 1"),
    ],
)
def test_other_wrong_answers_are_told_which_limit_they_break(answer: Any, got: str) -> None:
    verdict = judge(EXERCISE, answer)
    assert verdict.status == "wrong"
    assert not verdict.mistake
    assert got in verdict.got
