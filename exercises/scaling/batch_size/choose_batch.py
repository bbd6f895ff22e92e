"""Exercise: batch and GPUs for a deadline and for a budget, judged by a run that is simulated step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from grader.choices import mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake, Observation

ROOM = 1.002  # a step more or less, and rounding, decide nothing
OTHER = {"cheapest": "fastest", "fastest": "cheapest"}
CHOICE, HOURS, DOLLARS = "choice", "hours", "dollars"


def choose_batch(
    *,
    wanted: str,
    critical_batch: int,
    fewest_steps: int,
    examples_per_s: float,
    fixed_s: float,
    usd_per_gpu_hour: float,
    batches: Sequence[int],
    gpus: Sequence[int],
    deadline_h: float,
    budget_usd: float,
) -> tuple[int, int]:
    """Choose the batch and the number of GPUs of a run to a given loss.

    A step of B examples on R GPUs, which share them evenly, takes fixed_s
    seconds and B / (R * examples_per_s) more. All GPUs are paid all the time.

    Args:
        wanted: "cheapest" or "fastest", of the runs within both limits.
        critical_batch: the batch that takes twice the fewest steps and twice
            the fewest examples.
        fewest_steps: steps with very large batches.
        examples_per_s: examples that one GPU works through in a second.
        fixed_s: seconds of a step that nothing shortens.
        usd_per_gpu_hour: price of an hour of one GPU.
        batches: the batches to choose from, in examples, in any order.
        gpus: the numbers of GPUs to choose from, in any order; R must
            divide B.
        deadline_h: the run may take at most so many hours.
        budget_usd: it may cost at most so many dollars.

    Returns:
        Batch and GPUs. At least one pair is within both limits; of several
        that are as good as each other within 0.1%, any.

    >>> choose_batch(wanted="cheapest", critical_batch=8, fewest_steps=900,
    ...            examples_per_s=1.0, fixed_s=1.0, usd_per_gpu_hour=2.0,
    ...            batches=[4, 8, 16], gpus=[4, 8],
    ...            deadline_h=1.2, budget_usd=100.0)
    (8, 8)
    """
    best, found = float("inf"), (0, 0)
    for batch in batches:
        steps = fewest_steps * (1 + critical_batch / batch)
        for ranks in gpus:
            if batch % ranks:
                continue
            step_s = fixed_s + batch / (ranks * examples_per_s)
            hours = steps * step_s / 3600
            usd = hours * ranks * usd_per_gpu_hour
            score = usd if wanted == "cheapest" else hours
            if hours <= deadline_h and usd <= budget_usd and score < best:
                best, found = score, (batch, ranks)
    return found


@cache
def whole_steps(batch: int, critical_batch: int, fewest_steps: int) -> int:
    """Step until the progress is made: a step makes B of B + B_crit parts of the progress of a step without noise."""
    steps, made, needed = 0, 0, fewest_steps * (batch + critical_batch)
    while made < needed:
        steps, made = steps + 1, made + batch
    return steps


def simulated(given: Inputs, batch: int, ranks: int) -> tuple[float, float]:
    """Run all steps, and return hours and dollars."""
    steps = whole_steps(batch, given["critical_batch"], given["fewest_steps"])
    seconds = steps * given["fixed_s"] + steps * (batch // ranks) / given["examples_per_s"]
    return seconds / 3600, seconds / 3600 * ranks * given["usd_per_gpu_hour"]


def designs(given: Inputs) -> dict[tuple[int, int], tuple[float, float]]:
    pairs = [(batch, ranks) for batch in given["batches"] for ranks in given["gpus"] if batch % ranks == 0]
    return {pair: simulated(given, *pair) for pair in pairs}


def within(given: Inputs, hours: float, usd: float, room: float = 1.0) -> bool:
    return hours <= given["deadline_h"] * room and usd <= given["budget_usd"] * room


def least(given: Inputs) -> float:
    """Return the least that is clearly within the limits, or, if nothing is, within them."""
    place = 1 if given["wanted"] == "cheapest" else 0
    runs = designs(given).values()
    found = [seen for seen in runs if within(given, *seen, room=1 / ROOM)] or [
        seen for seen in runs if within(given, *seen)
    ]
    return min(seen[place] for seen in found)


def wanted_of(**given: Any) -> Observation:
    """What is seen of a right choice."""
    cheapest, goal = given["wanted"] == "cheapest", f"{least(given):.4g}, the least within both limits"
    return {
        CHOICE: "a batch and a number of GPUs from the lists, the second a divisor of the first; at least one such "
        "pair is within both limits",
        HOURS: f"at most {given['deadline_h']:g}" if cheapest else goal,
        DOLLARS: goal if cheapest else f"at most {given['budget_usd']:g}",
    }


def observe(function: Callable[..., Any], **given: Any) -> Observation:
    """Simulate the chosen run; any that is as good as the best, to a step, is right."""
    seen, pair = wanted_of(**given), tuple(function(**given))
    if pair not in designs(given):
        return {**seen, CHOICE: f"{pair}"}
    hours, usd = simulated(given, *pair)
    if hours > given["deadline_h"] * ROOM:
        return {**seen, HOURS: f"{hours:.4g} with {pair}"}
    if usd > given["budget_usd"] * ROOM:
        return {**seen, DOLLARS: f"{usd:.4g} with {pair}"}
    score, name = (usd, DOLLARS) if given["wanted"] == "cheapest" else (hours, HOURS)
    if score > least(given) * ROOM:
        seen[name] = f"{score:.4g} with {pair}"
    return seen


def case(
    wanted: str,
    run: tuple[int, int],
    machine: tuple[float, float, float],
    batches: Sequence[int],
    gpus: Sequence[int],
    limits: tuple[float, float],
) -> Inputs:
    return {
        "wanted": wanted,
        "critical_batch": run[0],
        "fewest_steps": run[1],
        "examples_per_s": machine[0],
        "fixed_s": machine[1],
        "usd_per_gpu_hour": machine[2],
        "batches": list(batches),
        "gpus": list(gpus),
        "deadline_h": limits[0],
        "budget_usd": limits[1],
    }


def cases(st: Any) -> Any:
    def built(
        wanted: str, run: tuple[int, int], machine: tuple[float, float, float], top: int, shift: int, pick: float
    ) -> Inputs:
        batches = [2**power for power in range(shift, shift + 6)]
        gpus = [2**power for power in range(top - 3, top + 1)]
        given = case(wanted, run, machine, batches, gpus, (1e9, 1e9))
        seen = sorted(designs(given).values())
        hours, usd = seen[int(pick * (len(seen) - 1))]
        loose = 1.05 if pick < 0.7 else 3.0
        return {**given, "deadline_h": round(hours * 1.05, 6), "budget_usd": round(usd * loose, 6)}

    return st.builds(
        built,
        st.sampled_from(["cheapest", "fastest"]),
        st.tuples(st.sampled_from([6, 20, 64, 300]), st.sampled_from([700, 900])),
        st.tuples(st.sampled_from([0.5, 2.0, 8.0]), st.sampled_from([0.1, 1.0, 4.0]), st.sampled_from([1.0, 2.5])),
        st.integers(4, 7),
        st.integers(4, 6),
        st.floats(0.05, 0.95),
    )


NO_LIMITS = (1e9, 1e9)
# The chapter's machine: 3 s a step and 0.5 s for each sequence of a GPU; the critical batch is 512 sequences.
QUESTION = case("cheapest", (512, 2000), (2.0, 3.0, 2.0), (256, 512, 1024, 2048, 4096), (64, 128, 256, 512), (6.0, 1e6))


as_if = mistaken_rules(wanted_of, observe)


def without_end(given: Inputs) -> Inputs:
    """Return inputs in which the steps fall as one over the batch, to a millionth of the fewest steps."""
    return {"critical_batch": 1e6 * given["critical_batch"], "fewest_steps": given["fewest_steps"] / 1e6}


def by_rule(bill: Callable[[Inputs, int, int], tuple[float, float]]) -> Callable[..., bool]:
    """Return the rule of those who take a pair's hours and dollars to be others."""

    def accepts(chosen: Any, **given: Any) -> bool:
        place = 1 if given["wanted"] == "cheapest" else 0
        seen = {pair: bill(given, *pair) for pair in designs(given)}
        fits = {pair: hours_usd[place] for pair, hours_usd in seen.items() if within(given, *hours_usd)}
        return bool(fits[tuple(chosen)] <= min(fits.values()) * (1 + 1e-6))

    return accepts


def with_a_wall(given: Inputs, batch: int, ranks: int) -> tuple[float, float]:
    """Return hours and dollars if steps fell as one over the batch up to the critical one, and then no more."""
    steps = given["fewest_steps"] * max(1.0, given["critical_batch"] / batch)
    hours = steps * (given["fixed_s"] + batch / ranks / given["examples_per_s"]) / 3600
    return hours, hours * ranks * given["usd_per_gpu_hour"]


def fixed_seconds_unpaid(given: Inputs, batch: int, ranks: int) -> tuple[float, float]:
    """Return the right hours, and dollars for those in which the GPUs compute."""
    hours, _ = simulated(given, batch, ranks)
    return hours, simulated({**given, "fixed_s": 0.0}, batch, ranks)[1]


def nearest(given: Inputs) -> int:
    """Return the batch that is nearest to the critical one, in proportion."""
    return int(min(given["batches"], key=lambda batch: abs(math.log(batch / given["critical_batch"]))))


def at_the_critical_batch(chosen: Any, **given: Any) -> bool:
    """Say whether the batch is the critical one, or of those that can be had the nearest."""
    return chosen[0] in (given["critical_batch"], nearest(given))


def taught() -> str:
    rich = {**QUESTION, "wanted": "fastest", "deadline_h": 1000.0, "budget_usd": 2200.0}
    (batch, gpus), (large, many) = choose_batch(**QUESTION), choose_batch(**rich)
    (hours, usd), (fast, dear) = simulated(QUESTION, batch, gpus), simulated(rich, large, many)
    return (
        f"Within 6 hours {batch} sequences on {gpus} GPUs are cheapest: {hours:.1f} hours and {usd:,.0f} dollars. For "
        f"2,200 dollars {large:,} on {many} are fastest: {fast:.1f} hours and {dear:,.0f} dollars. More GPUs wait for "
        "the 3 s at full price, and larger batches waste examples."
    )


EXERCISE = Exercise(
    choose_batch,
    number=4,
    level="hard",
    asked="batch and GPUs: the cheapest, or the fastest, run within a deadline and a budget",
    expected=wanted_of,
    observe=observe,
    examples=[
        case("cheapest", (8, 900), (1.0, 1.0, 2.0), (4, 8, 16), (4, 8), (1.2, 100.0)),
        case("fastest", (8, 900), (1.0, 1.0, 2.0), (4, 8, 16), (4, 8), (9.0, 15.5)),
        case("cheapest", (8, 900), (1.0, 0.1, 2.0), (4, 8, 16, 32), (2, 4, 8, 16), (1.0, 100.0)),
        case("fastest", (64, 900), (2.0, 0.1, 1.0), (16, 32, 64, 128, 256), (8, 16, 32), (9.0, 40.0)),
        case("cheapest", (64, 900), (2.0, 4.0, 1.0), (16, 32, 64, 128, 256), (8, 16, 32), (9.0, 400.0)),
        case("cheapest", (20, 800), (1.0, 0.5, 1.0), (12, 24, 48, 96), (4, 8, 12, 16), (1.6, 100.0)),
        case("fastest", (20, 800), (1.0, 0.5, 1.0), (12,), (4, 8), (9.0, 1000.0)),
        case("cheapest", (20, 800), (2.0, 1.0, 1.0), (90, 30, 60), (20, 8, 4, 12), (5.0, 100.0)),
        case("fastest", (64, 900), (2.0, 0.1, 1.0), (128, 32, 256, 64), (32, 8, 16), (9.0, 40.0)),
        case("fastest", (1, 900), (1.0, 1.0, 1.0), (8, 16, 64), (4, 8), (9.0, 100.0)),
        # Both limits are met exactly; then one of them.
        case("cheapest", (8, 900), (1.0, 1.0, 2.0), (8,), (8,), (1.0, 16.0)),
        case("fastest", (8, 900), (1.0, 1.0, 2.0), (8,), (4, 8), (1.0, 100.0)),
        case("cheapest", (8, 900), (1.0, 1.0, 2.0), (4, 8), (8,), (9.0, 16.0)),
        # Most GPUs are not fastest, nor fewest cheapest, where they fit another batch only.
        case("fastest", (512, 2000), (2.0, 3.0, 2.0), (96, 512, 1024), (64, 96), NO_LIMITS),
        case("cheapest", (512, 2000), (2.0, 3.0, 2.0), (4096, 648), (64, 72), NO_LIMITS),
        # The second best is 0.4 to 0.6% off, with fewer GPUs, or with a smaller or a larger batch.
        case("fastest", (16, 900), (8.0, 25.0, 1.0), (16,), (8, 16), NO_LIMITS),
        case("cheapest", (100, 900), (1.0, 3.0, 1.0), (24, 48, 96, 192), (4, 8, 16, 24), NO_LIMITS),
        case("fastest", (300, 900), (2.0, 0.1, 1.0), (16, 32, 64, 128), (4, 8, 16, 32), NO_LIMITS),
        # The bill, or the time, falls again after it rose: the batches have no order.
        case("cheapest", (512, 2000), (2.0, 3.0, 2.0), (512, 4096, 1024, 256), (256,), NO_LIMITS),
        case("fastest", (512, 2000), (2.0, 3.0, 2.0), (512, 4096, 1024, 256), (256, 64), NO_LIMITS),
        # Of two batches the best is nearer in proportion, the other in examples.
        case("cheapest", (100, 900), (1.0, 12.5, 1.0), (32, 176), (8,), NO_LIMITS),
        # Runs of seconds: hours and dollars that are rounded decide wrongly.
        case("fastest", (64, 4), (1.0, 1.0, 1.0), (64,), (16, 32), NO_LIMITS),
        case("cheapest", (64, 4), (1.0, 1.0, 1.0), (64,), (32, 16), (0.0105, 1e9)),
        # Limits in other units, or held by a step, are no limits ignored.
        case("cheapest", (64, 900), (2.0, 0.1, 1.0), (64, 128), (1, 8, 64), (0.65, 1e9)),
        case("cheapest", (64, 2), (1.0, 0.1, 1.0), (64,), (1, 4, 8, 16, 64), (0.0048, 1e9)),
        case("fastest", (16, 900), (8.0, 4.0, 1.0), (1024, 2048), (1, 16, 128, 1024), (1e9, 35.0)),
        case("fastest", (1024, 2), (16.0, 4.0, 1.0), (1024,), (1, 16, 32, 1024), (1e9, 0.15)),
        {**QUESTION, "wanted": "fastest", "deadline_h": 1000.0, "budget_usd": 2200.0},
        QUESTION,
    ],
    inputs=cases,
    draws=60,
    units={},
    taught=taught,
    mistakes=[
        Mistake(
            "scales_without_end",
            "You let the steps fall as one over the batch for ever. Near the critical batch they fall less, and beyond "
            "it hardly.",
            {"(1 + critical_batch / batch)": "critical_batch / batch"},
            accepts=as_if(without_end),
        ),
        Mistake(
            "forgets_the_fixed_seconds",
            "Every step has seconds that no GPU shortens; they make small batches and many GPUs dear.",
            {"fixed_s + batch / (ranks * examples_per_s)": "batch / (ranks * examples_per_s)"},
            accepts=as_if(lambda given: {"fixed_s": 0.0}),
        ),
        Mistake(
            "every_gpu_does_the_whole_batch",
            "The GPUs share the batch: each works on B/R examples.",
            {"batch / (ranks * examples_per_s)": "batch / examples_per_s"},
        ),
        Mistake(
            "pays_one_gpu",
            "You paid for one GPU; all of them are paid all the time.",
            {"hours * ranks * usd_per_gpu_hour": "hours * usd_per_gpu_hour"},
        ),
        Mistake(
            "ignores_the_deadline",
            "The cheapest run of all can be too slow: look at the deadline first.",
            {"hours <= deadline_h and ": ""},
            accepts=as_if(lambda given: {"deadline_h": math.inf}),
        ),
        Mistake(
            "ignores_the_budget",
            "The fastest run of all can be too dear: look at the budget first.",
            {" and usd <= budget_usd": ""},
            accepts=as_if(lambda given: {"budget_usd": math.inf}),
        ),
        Mistake(
            "shares_rounded_up",
            "A GPU cannot have one example more than another here: the number of GPUs must divide the batch.",
            {
                "if batch % ranks:": "if batch < ranks:",
                "batch / (ranks * examples_per_s)": "-(-batch // ranks) / examples_per_s",
            },
        ),
        Mistake(
            "gpus_first",
            "The batch comes first, then the GPUs.",
            {"best, found = score, (batch, ranks)": "best, found = score, (ranks, batch)"},
            accepts=as_if(read=lambda chosen: chosen[::-1]),
        ),
        Mistake(
            "gpus_need_not_divide",
            "The GPUs share the batch evenly: their number must divide it.",
            {"if batch % ranks:": "if batch < 0:"},
        ),
        Mistake(
            "stops_at_a_wall",
            "You let the steps fall as one over the batch up to the critical batch, and no more beyond. There is no "
            "wall: at the critical batch they are twice the fewest.",
            {"(1 + critical_batch / batch)": "max(1, critical_batch / batch)"},
            accepts=by_rule(with_a_wall),
        ),
        Mistake(
            "takes_the_critical_batch",
            "You always took the critical batch. It balances steps and examples; what is best depends on the fixed "
            "seconds, the GPUs and the limits.",
            {
                "for batch in batches:": "for batch in [min(batches, key=lambda one: max(one / critical_batch, "
                "critical_batch / one))]:"
            },
            accepts=at_the_critical_batch,
        ),
        Mistake(
            "fixed_seconds_unpaid",
            "The GPUs wait in the fixed seconds, and are paid: the bill is all hours of all GPUs.",
            {
                "usd = hours * ranks * usd_per_gpu_hour": "usd = steps * batch / examples_per_s / 3600 * "
                "usd_per_gpu_hour"
            },
            accepts=by_rule(fixed_seconds_unpaid),
        ),
        Mistake(
            "swaps_cheapest_and_fastest",
            "You took the fastest run where the cheapest is wanted, and the cheapest where the fastest is.",
            {'usd if wanted == "cheapest" else hours': 'hours if wanted == "cheapest" else usd'},
            accepts=as_if(lambda given: {"wanted": OTHER[given["wanted"]]}),
        ),
        Mistake(
            "always_the_cheapest",
            "You took the cheapest run, whichever was wanted: where that is the fastest, the hours decide.",
            {'usd if wanted == "cheapest" else hours': "usd"},
            accepts=as_if(lambda given: {"wanted": "cheapest"}),
        ),
        Mistake(
            "always_the_fastest",
            "You took the fastest run, whichever was wanted: where that is the cheapest, the dollars decide.",
            {'usd if wanted == "cheapest" else hours': "hours"},
            accepts=as_if(lambda given: {"wanted": "fastest"}),
        ),
        Mistake(
            "nothing_is_left",
            "No pair was left where one just meets a limit. A run may take all the hours, or all the dollars: <=.",
            {
                "hours <= deadline_h and usd <= budget_usd": "hours < deadline_h and usd < budget_usd",
                "return found": "return found if found[0] else min([])",
            },
        ),
        Mistake(
            "nothing_is_left_and_none_is_told",
            "No pair was left where one just meets a limit. A run may take all the hours, or all the dollars: <=.",
            {"hours <= deadline_h and usd <= budget_usd": "hours < deadline_h and usd < budget_usd"},
        ),
        Mistake("is_always_eight_and_eight", "This is right for one input only.", lambda **_: (8, 8)),
    ],
)
