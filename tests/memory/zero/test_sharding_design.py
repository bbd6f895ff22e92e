"""The exercise that chooses a design: near misses are refused, and any design that meets the limits passes."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from exercises.memory.zero import sharding_design as exercise
from exercises.memory.zero.fewest_ranks import EXERCISE as FEWEST
from exercises.memory.zero.owners import EXERCISE as OWNERS
from grader.exercise import Exercise
from grader.judging import judge

INPUTS: Any = exercise.EXERCISE.inputs
CASES = [*exercise.EXERCISE.examples, *INPUTS]
CLOSE = {
    "a backward pass as long as a forward pass": ("waits(2 * run", "waits(run"),
    "a message too many": ("(group - 1) * (latency_s + weight", "group * (latency_s + weight"),
    "the mean shard": ("-(-parameters // group)", "parameters // group"),
    "one operation a token": ("run = 2 * tokens", "run = tokens"),
    "faster than the node": ("min(beta, gpus_per_node * network_bytes_per_s)", "gpus_per_node * network_bytes_per_s"),
    "the node's links through the network": ("min(beta, gpus_per_node * network_bytes_per_s)", "beta"),
    "all adapters for one GPU": ("replicas / network_bytes_per_s", "replicas / network_bytes_per_s / gpus_per_node"),
    "half an all-reduce across": ("exposed += 2 * (replicas", "exposed += (replicas"),
    "weights across": ("sent = gradient * parameters", "sent = weight * parameters"),
    "no latency across": ("(replicas - 1) * (latency_s + sent)", "(replicas - 1) * sent"),
    "a latency a phase": (
        "2 * (replicas - 1) * (latency_s + sent)",
        "2 * ((replicas - 1) * sent + latency_s * (replicas > 1))",
    ),
    "a byte left free": ("held + other_bytes <= memory_bytes", "held + other_bytes < memory_bytes"),
    "all layers alike": (
        "max(0, fetch - run) + middle + max(0, take - run)",
        "(layers - 1) * max(0, fetch + take - run)",
    ),
    "no node's group": ("for count in range(1, nodes + 1)", "for count in range(min(2, nodes), nodes + 1)"),
    "the ends twice": ("(layers - 2) * max", "(layers - 1) * max"),
    "no gather in stage 1": ("else stage > 0)", "else 0)"),
    "a gather in stage 0": ("else stage > 0)", "else 1)"),
    "one gather in stage 3": ("fetch, take = gather * (stage == 3)", "fetch, take = 0"),
    "a reduction a micro-batch in stage 1": ("if stage >= 2 else 1) * waits", "if stage >= 1 else 1) * waits"),
    "the first recipe alone": ("in recipes.items():", "in list(recipes.items())[:1]:"),
    "stage 3 alone": ("[(0, gpus), (1, gpus), (2, gpus), *(", "[*("),
    "no stage 3": (", *((3, group) for group in groups)]", "]"),
    "stage 2 with whole gradients": ("(shard if stage >= 2", "(shard if stage >= 3"),
}  # fmt: skip


def changed(solution: Any, old: str, new: str) -> Any:
    """Return a function whose source has one thing instead of another."""
    source = inspect.getsource(solution)
    assert source.count(old) == 1, (old, source.count(old))
    names: dict[str, Any] = dict(vars(exercise))
    exec("from __future__ import annotations\n" + source.replace(old, new), names)
    return names[solution.__name__]


@pytest.mark.parametrize("what", CLOSE)
def test_answers_that_come_close_are_wrong(what: str) -> None:
    assert judge(exercise.EXERCISE, changed(exercise.sharding_design, *CLOSE[what])).status == "wrong"


def test_any_design_that_meets_the_limits_passes() -> None:
    def last(**inputs: Any) -> Any:
        return next((each for each in reversed(list(exercise.designs(inputs))) if exercise.meets(each, inputs)), None)

    def as_list(**inputs: Any) -> Any:
        found = last(**inputs)
        return None if found is None else list(found)

    several = sum(sum(exercise.meets(each, inputs) for each in exercise.designs(inputs)) > 1 for inputs in CASES)
    assert several > 20
    assert judge(exercise.EXERCISE, last).status == "solved"
    assert judge(exercise.EXERCISE, as_list).status == "solved"


@pytest.mark.parametrize("answer", [(4, 2, "adam"), (1, 1, "adam"), (1, 2, "adamw"), (3, 3, "adam")])
def test_designs_that_there_are_not_are_refused(answer: Any) -> None:
    assert judge(exercise.EXERCISE, lambda **_: answer).status == "wrong"


def test_what_is_wrong_with_a_design_is_told() -> None:
    """Its bytes and seconds, and by how much they are beyond the limits."""
    inputs = {**exercise.SMALLEST, "memory_bytes": 60, "limit_s": 1}
    told = exercise.fault((1, 2, "adam"), **inputs)
    assert told == "stage 1, 2 GPUs, adam (it holds 80 bytes and waits 8 s), 20 bytes too many and 7 s too long"


def test_across_groups_every_slip_is_noticed_on_small_inputs() -> None:
    """Not on the chapter's own cluster alone: an answer is wrong on several of the others."""
    choice = exercise.CHOICE
    slips = [what for what in CLOSE if "across" in what or what in ("all adapters for one GPU", "a latency a phase")]
    assert len(slips) == 5
    for what in slips:
        answer = changed(exercise.sharding_design, *CLOSE[what])
        wrong = [inputs for inputs in CASES if choice.observe(answer, **inputs) != choice.expected(**inputs)]
        assert sum(inputs["parameters"] < 2000 for inputs in wrong) > 5, what


def test_the_formula_waits_as_long_as_the_simulated_step() -> None:
    """At a limit a hair above what the simulator says the solution takes the design, a hair below it does not."""
    for inputs in CASES[5:40]:
        for design in exercise.designs(inputs):
            held, exposed_s = exercise.judged(design, inputs)
            one: Any = {**inputs, "recipes": {design[2]: inputs["recipes"][design[2]]}, "memory_bytes": held}
            assert exercise.sharding_design(**{**one, "limit_s": exposed_s * (1 + 1e-9)}) is not None
            better = [
                other for other in exercise.designs(one) if other != design and exercise.judged(other, one)[0] <= held
            ]
            if all(exercise.judged(other, one)[1] > exposed_s for other in better):
                assert exercise.sharding_design(**{**one, "limit_s": exposed_s * (1 - 1e-9)}) is None


def wrong(owner: Exercise, *changes: tuple[str, str]) -> Any:
    """Return the exercise's solution with changes."""
    source = inspect.getsource(owner.solution)
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    names = dict(vars(owner.module))
    exec("from __future__ import annotations\n" + source, names)
    return names[owner.name]


@pytest.mark.parametrize(
    ("owner", "changes"),
    [
        (FEWEST, [("2: 2", "2: 1")]),
        (FEWEST, [("2: 2", "2: 1"), ("(16 - whole)", "[16, 12, 14, 16][stage]")]),
        (FEWEST, [("(16 - whole)", "(15 - whole)")]),
        (FEWEST, [("(16 - whole)", "(17 - whole)")]),
        (FEWEST, [("1: 4", "1: 3")]),
        (FEWEST, [("if largest >= 1 else", "if largest >= 1 and -(-parameters // largest) <= 10_000 else")]),
        (FEWEST, [("1: 4", "1: 5")]),
        (OWNERS, [("-sizes[each]", "each")]),
        (OWNERS, [("-sizes[each])", "str(sizes[each]), reverse=True)")]),
        (OWNERS, [("-sizes[each]", "-(sizes[each] // 2)")]),
        (OWNERS, [("-sizes[each]", "-(sizes[each] // 3)")]),
        (OWNERS, [("-sizes[each]", "sizes[each]")]),
    ],
)
def test_near_misses_of_the_other_exercises_are_refused(owner: Exercise, changes: list[tuple[str, str]]) -> None:
    assert judge(owner, wrong(owner, *changes)).status == "wrong"
