"""Exercise: how many GPUs of a fleet should only generate, if any."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for
from snippets.efficiency.local_sgd.rl_steps import (
    RL_30B_GB200,
    RL_30B_H100,
    RL_STEPS,
    RlShares,
    predicted_rl_step,
    rl_splits,
)

Times = dict[int, int]


def split_fleet(
    *,
    gpus: int,
    generation_s: dict[int, int],
    training_s: dict[int, int],
    moving_s: int,
    steps_off: int,
) -> int | None:
    """Return how many GPUs should only generate, or ``None`` to share all.

    On a shared fleet all GPUs generate a batch, then all train on it. On a
    split one some generate while the others train, one batch at a time on
    either side; then all stand while the weights move. Every GPU of a split
    fleet is on one side. With no step off, a batch may not begin before the
    last update, so that the sides take turns.

    Args:
        gpus: of the fleet.
        generation_s: seconds for a batch, by the GPUs that generate; a
            number that is missing is too small, or does not fit the layout.
        training_s: the same of training. Both have ``gpus``; more GPUs may
            be slower.
        moving_s: seconds for which a split fleet stalls after each training.
        steps_off: how many updates old the weights that generate may be.

    Returns:
        The GPUs that generate in the split with the shortest step in the
        long run, the fewest of those that tie; ``None`` where no split's
        step is shorter than the shared fleet's.

    >>> split_fleet(
    ...     gpus=2, generation_s={1: 4, 2: 3}, training_s={1: 4, 2: 2},
    ...     moving_s=0, steps_off=1
    ... )
    1
    """
    best, least = None, generation_s[gpus] + training_s[gpus]
    for generating in sorted(generation_s):
        if gpus - generating not in training_s:
            continue
        generates = generation_s[generating]
        trains = training_s[gpus - generating]
        sides = max(generates, trains) if steps_off else generates + trains
        step = sides + moving_s
        if step < least:
            best, least = generating, step
    return best


def long_run_s(generation: int, training: int, moving: int, off: int, steps: int) -> int:
    """Run two stations on a clock, and return what the last of many steps took."""
    now, updates, begun, ready = 0, 0, 0, 0
    generating: int | None = None  # seconds left
    in_training: int | None = None
    last = before = 0
    while updates < steps:
        if generating is None and begun - updates <= off:
            generating, begun = generation, begun + 1
        if in_training is None and ready:
            in_training, ready = training, ready - 1
        passed = min(left for left in (generating, in_training) if left is not None)
        now += passed
        generating = None if generating is None else generating - passed
        in_training = None if in_training is None else in_training - passed
        if generating == 0:
            generating, ready = None, ready + 1
        if in_training == 0:
            in_training, updates = None, updates + 1
            now += moving
            before, last = last, now
    return last - before


def on_the_clock(*, gpus: int, generation_s: Times, training_s: Times, moving_s: int, steps_off: int) -> int | None:
    """Time every split, and the shared fleet as two sides of all GPUs that take turns."""
    timed = {
        generating: long_run_s(generation_s[generating], training_s[gpus - generating], moving_s, steps_off, 12)
        for generating in range(1, gpus)
        if generating in generation_s and gpus - generating in training_s
    }
    shared = long_run_s(generation_s[gpus], training_s[gpus], 0, 0, 12)
    faster = [(step, generating) for generating, step in timed.items() if step < shared]
    return min(faster)[1] if faster else None


def predicted(name: str, shares: RlShares) -> tuple[Times, Times]:
    """Return the two tables of a published job, as the model has them."""
    row = RL_STEPS[name]
    times = {
        own: predicted_rl_step(replace(row, devices=own), shares=shares)
        for own in range(row.generation_tensor, row.devices + 1, row.generation_tensor)
    }
    held = [*rl_splits(row, shares=shares), row.devices]  # the caches have no room on fewer
    generation = {own: round(times[own].generation_s) for own in held}
    return generation, {own: round(found.training_s) for own, found in times.items()}


run_of = inputs_for(split_fleet)
GB200 = run_of(16, *predicted("GB200 Qwen3 30B-A3B 16, on-policy", RL_30B_GB200), 2, 1)
H100 = run_of(32, *predicted("H100 Qwen3 30B-A3B 32, on-policy", RL_30B_H100), 1, 1)


def drawn(chance: Random) -> list[Inputs]:
    """Return fleets whose times partly divide by their GPUs; sides that take turns, ties and no splits among them."""
    found = []
    for number in range(120):
        gpus = chance.randint(2, 9)
        times: list[Times] = []
        for _side in range(2):
            fixed, work, least = chance.randrange(28), chance.randint(1, 60), chance.choice((1, 1, 1, 2))
            own = [size for size in range(1, gpus + 1) if size >= least and (size == gpus or chance.random() < 0.85)]
            times.append({size: fixed + -(-work // size) for size in own})
        if number % 4 == 0:  # what more GPUs cost may be more than they bring
            times[number // 4 % 2][gpus] += chance.randint(1, 40)
        if number % 3 == 0:
            side = chance.choice(times)
            side[chance.choice(sorted(side))] += chance.randint(1, 20)
        moving = chance.choice((0, 0, 1, 2, 5))
        found.append(run_of(gpus, times[0], times[1], moving, 0 if number % 8 == 0 else chance.choice((1, 1, 2, 3, 6))))
    return found


def half(*, gpus: int, generation_s: Times, training_s: Times, moving_s: int, steps_off: int) -> int | None:
    """Try half and half, and nothing else."""
    own = gpus // 2
    if own not in generation_s or gpus - own not in training_s:
        return None
    sides = generation_s[own], training_s[gpus - own]
    step = (max(sides) if steps_off else sum(sides)) + moving_s
    return own if step < generation_s[gpus] + training_s[gpus] else None


def by_shares(*, gpus: int, generation_s: Times, training_s: Times, moving_s: int, steps_off: int) -> int | None:
    """Give each side the share of the GPUs that it has of the shared fleet's step."""
    shared = generation_s[gpus] + training_s[gpus]
    wanted = gpus * generation_s[gpus] / shared
    able = [own for own in sorted(generation_s) if gpus - own in training_s]
    if not able:
        return None
    own = min(able, key=lambda each: abs(each - wanted))
    sides = generation_s[own], training_s[gpus - own]
    step = (max(sides) if steps_off else sum(sides)) + moving_s
    return own if step < shared else None


def taught() -> str:
    gb200, h100 = split_fleet(**GB200), split_fleet(**H100)
    fewer = split_fleet(**{**GB200, "steps_off": 0})
    halves = max(GB200["generation_s"][8], GB200["training_s"][8]) + GB200["moving_s"]
    shared = GB200["generation_s"][16] + GB200["training_s"][16]
    return (
        f"16 GB200s: {gb200} generate, 32 H100s: {h100}; with no step off: {fewer}. Cut in half, the 16 would take "
        f"{halves} s a step where the shared fleet takes {shared}: training is most of their step and divides well, "
        "so that it needs most of the GPUs."
    )


EXERCISE = Exercise(
    split_fleet,
    number=5,
    level="medium",
    asked="how many GPUs should only generate, or None if all should do both",
    expected=on_the_clock,
    examples=[
        run_of(2, {1: 4, 2: 3}, {1: 4, 2: 2}, 0, 1),
        run_of(2, {1: 4, 2: 2}, {1: 4, 2: 2}, 0, 1),
        run_of(2, {1: 4, 2: 3}, {1: 4, 2: 2}, 0, 0),
        run_of(2, {1: 4, 2: 3}, {1: 4, 2: 2}, 1, 1),
        run_of(4, {1: 9, 2: 8, 3: 8, 4: 8}, {1: 12, 2: 6, 3: 4, 4: 3}, 0, 1),
        run_of(4, {1: 5, 2: 4, 4: 3}, {1: 12, 3: 4, 4: 3}, 0, 2),
        run_of(4, {2: 8, 4: 7}, {1: 9, 3: 3, 4: 2}, 0, 1),
        run_of(2, {1: 4, 2: 9}, {1: 4, 2: 2}, 1, 0),
        run_of(3, {1: 3, 2: 3, 3: 3}, {1: 9, 2: 5, 3: 3}, 0, 1),
        run_of(4, {3: 8, 4: 8, 2: 8, 1: 8}, {4: 4, 3: 4, 2: 4, 1: 4}, 0, 1),
        run_of(3, {1: 8, 2: 1, 3: 5}, {1: 12, 2: 10, 3: 10}, 0, 0),
        run_of(3, {1: 7, 2: 9, 3: 4}, {1: 11, 2: 12, 3: 9}, 0, 1),
        run_of(2, {1: 1000, 2: 600}, {1: 998, 2: 401}, 0, 1),
        run_of(2, {1: 7, 2: 6}, {1: 7, 2: 3}, 2, 5),
        H100,
        GB200,
    ],
    inputs=drawn(Random(31)),
    drawn=drawn,
    units={"result": "GPUs"},
    taught=taught,
    mistakes=[
        Mistake(
            "never_splits",
            "You never split. Some split may be faster than the shared fleet.",
            lambda *, gpus, generation_s, training_s, moving_s, steps_off: None,
        ),
        Mistake(
            "adds_up_the_sides",
            "You added up both sides of a split. A step off they work side by side, and the slower one sets the pace.",
            {"max(generates, trains) if steps_off else generates + trains": "generates + trains"},
        ),
        Mistake(
            "works_side_by_side_on_policy",
            "With no step off the sides of a split fleet take turns: a batch waits for the last update.",
            {"max(generates, trains) if steps_off else generates + trains": "max(generates, trains)"},
        ),
        Mistake(
            "forgets_to_move",
            "Moving the weights counts on a split fleet, and on it alone: you left it out, or added it to both.",
            {"sides + moving_s": "sides"},
        ),
        Mistake(
            "hides_the_move",
            "You let one side work on while the weights move. On a split fleet both stand.",
            {"step = sides + moving_s": "step = max(generates, trains + moving_s) if steps_off else sides + moving_s"},
        ),
        Mistake(
            "takes_the_first_gain",
            "You stopped at the first split that's faster than the shared fleet. A later one may be faster still.",
            {"if step < least:": "if best is None and step < least:"},
        ),
        Mistake(
            "stops_where_the_sides_cross",
            "You stopped where the sides cross. More GPUs may be slower, and with no step off a crossing says nothing.",
            {
                "            best, least = generating, step": (
                    "            best, least = generating, step\n        if generates <= trains:\n            break"
                )
            },
        ),
        Mistake(
            "always_splits",
            "You took the best split without comparing it with the shared fleet, which may be faster.",
            {"generation_s[gpus] + training_s[gpus]": "10**9"},
        ),
        Mistake(
            "splits_for_nothing",
            "You split where that's no faster than sharing all GPUs; then the answer is None.",
            {
                "best, least = None, generation_s[gpus] + training_s[gpus]": (
                    "best, least = None, generation_s[gpus] + training_s[gpus] + 0.5"
                )
            },
        ),
        Mistake(
            "takes_the_most_of_those_that_tie",
            "Of splits that tie, you took the one with the most that generate. The fewest were asked for.",
            {"in sorted(generation_s)": "in sorted(generation_s, reverse=True)"},
        ),
        Mistake(
            "halves_the_fleet",
            "You tried half and half alone. A side that divides well by its GPUs needs more of them.",
            half,
        ),
        Mistake(
            "divides_by_shares",
            "You gave each side its share of the shared fleet's step. That's right only if both divide perfectly.",
            by_shares,
        ),
        Mistake(
            "returns_the_other_side",
            "You returned how many GPUs train. Those that generate were asked for.",
            {"best, least = generating, step": "best, least = gpus - generating, step"},
        ),
    ],
)
