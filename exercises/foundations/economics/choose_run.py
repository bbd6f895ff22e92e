"""Exercise: an offer, a number of devices and a checkpoint interval that keep a deadline and a budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation, inputs_for

CHOICE, TIME, COST = "choice", "expected time", "expected cost"
VALID, KEPT = "an offer's number, devices that it has, and a finite interval above 0", "within the limit"
HAIR = 1.001  # so that how the last, shorter interval is counted decides nothing
Offer = tuple[float, float, float, int]


def choose_run(
    offers: list[tuple[float, float, float, int]],
    *,
    flops: float,
    checkpoint_s: float,
    restart_s: float,
    deadline_h: float,
    budget_usd: float,
) -> tuple[int, int, float]:
    """Choose devices and a checkpoint interval that keep deadline and budget.

    Devices fail independently, at an even rate, also during checkpoints and
    restarts. A failure undoes all since the last checkpoint and stops all
    devices until the restart is over. A checkpoint stands at the end of each
    interval, also of a last, shorter one; an interval beyond the work counts
    as the whole work. The time and the cost of the run are means over all
    that can happen, and a limit is kept if they exceed it by at most 0.1%.
    One of the offers at least can keep both limits.

    Args:
        offers: for each what one device does in a second, dollars for an hour
            of one device, mean hours between its failures, most devices.
        flops: FLOPs of the run.
        checkpoint_s: for how long a checkpoint stops the run.
        restart_s: from a failure until the run goes on.
        deadline_h: hours that the run may take.
        budget_usd: dollars that all devices may cost together.

    Returns:
        The number of the offer, from 0; the devices; the seconds of work
        between two checkpoints. Any choice that keeps both limits.

    >>> choose_run([(100.0, 1.0, 50.0, 2)], flops=720000.0, checkpoint_s=9.0,
    ...            restart_s=60.0, deadline_h=1.2, budget_usd=2.4)[:2]
    (0, 2)
    """
    # Of each offer, try all numbers of devices, each with Young's interval; take the cheapest run that is in time.
    found = []
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf, work = 3600 * mtbf_h / devices, flops / (devices * rate)
            interval = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            attempts = mtbf * math.expm1((interval + checkpoint_s) / mtbf)
            time = work / interval * attempts * math.exp(restart_s / mtbf)
            late, cost = time > 3600 * deadline_h, devices * usd * time
            found.append((late, cost, number, devices, interval))
    _, _, number, devices, interval = min(found)
    return number, devices, interval


def tries_s(length_s: float, after_failure_s: float, mtbf_s: float) -> float:
    """Return the mean time until a stretch of time passes without a failure, each failure followed by a pause.

    The mean length of a failed try is summed up over 200 slices of the stretch.
    """
    if length_s == 0:
        return 0.0
    if length_s > 500 * mtbf_s:
        return math.inf
    slices, edge, failed, lost_s = 200, 1.0, 0.0, 0.0
    for slice_ in range(1, slices + 1):
        survived = math.exp(-length_s * slice_ / slices / mtbf_s)
        failed += edge - survived
        lost_s += (edge - survived) * length_s * (slice_ - 0.5) / slices
        edge = survived
    return length_s + (lost_s + failed * after_failure_s) / (1 - failed) if failed < 1 else math.inf


def judged(
    offer: Offer, devices: int, interval_s: float, *, flops: float, checkpoint_s: float, restart_s: float
) -> tuple[float, float]:
    """Return the mean hours and dollars of a choice, from the tries that each interval and each restart takes."""
    rate, usd, mtbf_h, _ = offer
    mtbf_s, work_s = 3600 * mtbf_h / devices, flops / (devices * rate)
    restart = tries_s(restart_s, 0.0, mtbf_s)
    whole, rest_s = divmod(work_s, min(interval_s, work_s))
    total_s = whole * tries_s(min(interval_s, work_s) + checkpoint_s, restart, mtbf_s)
    if rest_s > 1e-9 * work_s:
        total_s += tries_s(rest_s + checkpoint_s, restart, mtbf_s)
    return total_s / 3600, devices * usd * total_s / 3600


def observe(function: Callable[..., Any], *, offers: list[Offer], **limits: float) -> Observation:
    """Say of a choice which limit it breaks, and by how much."""
    deadline_h, budget_usd = limits.pop("deadline_h"), limits.pop("budget_usd")
    number, devices, interval_s = function(offers=offers, deadline_h=deadline_h, budget_usd=budget_usd, **limits)
    if number != int(number) or not 0 <= number < len(offers):
        return {CHOICE: f"offer {number}, of {len(offers)} offers that are counted from 0"}
    offer = offers[int(number)]
    if devices != int(devices) or not 1 <= devices <= offer[3]:
        return {CHOICE: f"{devices} devices, where offer {number} has whole numbers from 1 to {offer[3]}"}
    if not (0 < interval_s < math.inf):
        return {CHOICE: f"an interval of {interval_s} s"}
    hours, dollars = judged(offer, int(devices), max(float(interval_s), 1e-3), **limits)
    late, dear = hours > deadline_h * HAIR, dollars > budget_usd * HAIR
    chosen = (
        f"offer {number}, {devices} devices: a failure every {offer[2] / devices:.3g} h, "
        f"a checkpoint every {interval_s:.4g} s"
    )
    return {
        CHOICE: VALID,
        TIME: f"{over(hours, deadline_h, 'h')} ({chosen})" if late else KEPT,
        COST: f"{over(dollars, budget_usd, 'dollars')} ({chosen})" if dear else KEPT,
    }


def over(value: float, limit: float, unit: str) -> str:
    """Say how far a value lies above its limit.

    >>> over(250.8, 250.0, "h")
    '250.80 h, 1.003 times the 250.00 h that are allowed'
    """
    return f"{value:,.2f} {unit}, {value / limit:,.4g} times the {limit:,.2f} {unit} that are allowed"


def all_kept(**_: Any) -> Observation:
    return {CHOICE: VALID, TIME: KEPT, COST: KEPT}


run_of = inputs_for(choose_run)


def mean_s(offer: Offer, devices: int, interval_s: float, run: dict[str, float], *, fails: int, restart: bool) -> float:
    """Return the mean seconds of a run in which this many devices can fail, with or without restarts that take time."""
    rate, _, mtbf_h, _ = offer
    work_s, mtbf_s = run["flops"] / (devices * rate), 3600 * mtbf_h / fails
    interval_s = min(interval_s, work_s)
    attempts_s = mtbf_s * math.expm1((interval_s + run["checkpoint_s"]) / mtbf_s)
    return work_s / interval_s * attempts_s * (math.exp(run["restart_s"] / mtbf_s) if restart else 1.0)


def one_fails(chosen: tuple[int, int, float], *, offers: list[Offer], **run: float) -> bool:
    """Return whether a choice keeps both limits if one device alone can fail."""
    number, devices, interval_s = chosen
    offer = offers[number]
    seconds = mean_s(offer, devices, interval_s, run, fails=1, restart=True)
    in_time = seconds <= 3600 * run["deadline_h"] * HAIR
    if interval_s < min(
        works_s(chosen, offers, run["flops"]),
        math.sqrt(2 * run["checkpoint_s"] * 3600 * offer[2] / math.sqrt(devices)),
    ):  # nearer to the interval for all devices' failures than to that for one's
        return False
    return devices <= offer[3] and in_time and devices * offer[1] * seconds <= 3600 * run["budget_usd"] * HAIR


def at_its_best(goal: Callable[[Offer, int, float], float]) -> Callable[..., bool]:
    """Return whether a choice reaches the least of what is sought, to 1%, as if there were no other limit."""

    def accepts(chosen: tuple[int, int, float], *, offers: list[Offer], **run: float) -> bool:
        def seen(offer: Offer, devices: int, interval_s: float) -> float:
            return goal(offer, devices, mean_s(offer, devices, interval_s, run, fails=devices, restart=True))

        least = min(
            seen(offer, devices, math.sqrt(2 * run["checkpoint_s"] * 3600 * offer[2] / devices))
            for offer in offers
            for devices in range(1, offer[3] + 1)
        )
        number, devices, interval_s = chosen
        return seen(offers[number], devices, interval_s) <= 1.01 * least

    return accepts


def without_restarts(chosen: tuple[int, int, float], *, offers: list[Offer], **run: float) -> bool:
    """Return whether a choice is what a usual goal comes to if restarts take no time: that number of devices, to 1%."""

    def young_s(offer: Offer, devices: int) -> float:
        return math.sqrt(2 * run["checkpoint_s"] * 3600 * offer[2] / devices)

    plans = []
    for number, offer in enumerate(offers):
        for devices in range(1, offer[3] + 1):
            seconds = mean_s(offer, devices, young_s(offer, devices), run, fails=devices, restart=False)
            late, dear = seconds / 3600 / run["deadline_h"], devices * offer[1] * seconds / 3600 / run["budget_usd"]
            plans.append((number, devices, late, dear))
    number, devices, interval_s = chosen
    best = min(young_s(offers[number], devices), works_s(chosen, offers, run["flops"]))
    goals = (
        min(plans, key=lambda plan: (plan[2] > 1, plan[3])),  # the cheapest in time
        min(plans, key=lambda plan: (plan[3] > 1, plan[2])),  # the fastest that is paid for
        min(plans, key=lambda plan: max(plan[2], plan[3])),  # the farthest from both limits
    )
    found = any(number == goal[0] and abs(devices - goal[1]) <= max(1, 0.01 * goal[1]) for goal in goals)
    return found and 0.7 * best <= interval_s <= 1.4 * best


def halving_devices(
    *, offers: list[Offer], flops: float, checkpoint_s: float, restart_s: float, deadline_h: float, budget_usd: float
) -> tuple[int, int, float]:
    """Halve each offer's range of devices, as if more of them were always faster, and take the cheapest."""
    run = {"flops": flops, "checkpoint_s": checkpoint_s, "restart_s": restart_s}
    found = []
    for number, offer in enumerate(offers):

        def plan(devices: int, offer: Offer = offer) -> tuple[float, float]:
            young_s = math.sqrt(2 * checkpoint_s * 3600 * offer[2] / devices)
            interval_s = min(young_s, flops / (devices * offer[0]))
            return mean_s(offer, devices, interval_s, run, fails=devices, restart=True), interval_s

        low, high = 1, offer[3]
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if plan(middle)[0] <= 3600 * deadline_h else (middle + 1, high)
        seconds, interval_s = plan(low)
        found.append((seconds > 3600 * deadline_h, low * offer[1] * seconds, number, low, interval_s))
    _, _, number, devices, interval_s = min(found)
    return number, devices, interval_s


def works_s(chosen: tuple[int, int, float], offers: list[Offer], flops: float) -> float:
    """Return the seconds of work of a choice."""
    return flops / (chosen[1] * offers[chosen[0]][0])


ON_DEMAND: Offer = (400e12, 2.5, 50_000.0, 2048)
SPOT: Offer = (400e12, 1.2, 900.0, 4096)
OWN = run_of([ON_DEMAND, SPOT], 2e23, 30.0, 600.0, 240.0, 230_000.0)
FAST: Offer = (900e12, 4.0, 20_000.0, 512)
FRAIL: Offer = (400e12, 1.0, 90.0, 2048)
OLD: Offer = (120e12, 0.5, 30_000.0, 4096)
SMALL: Offer = (100.0, 1.0, 50.0, 2)
OFTEN: Offer = (1e14, 1.0, 200.0, 400)  # looks good in a sum to first order
FEW: Offer = (1e14, 1.0, 1e6, 100)
SURE: Offer = (1e14, 1.82, 1e6, 400)


def taught() -> str:
    run = {"flops": 2e23, "checkpoint_s": 30.0, "restart_s": 600.0}
    number, devices, interval_s = choose_run(**OWN)
    hours, dollars = judged(OWN["offers"][number], devices, interval_s, **run)
    least = run["flops"] / ON_DEMAND[0] / 3600 * ON_DEMAND[1]
    _, all_dollars = judged(SPOT, SPOT[3], math.sqrt(2 * 30.0 * 3600 * SPOT[2] / SPOT[3]), **run)
    return (
        f"Take the spot market: {devices} devices with a checkpoint every {interval_s:.0f} s take {hours:.0f} hours "
        f"and {dollars:,.0f} dollars on average. On demand even a run without a failure costs {least:,.0f}. All "
        f"{SPOT[3]:,} spot devices would cost {all_dollars:,.0f}: more devices fail more often."
    )


INPUTS: list[Inputs] = [
    run_of([SPOT], 2e23, 30.0, 600.0, 120.0, 306_000.0),
    run_of([SPOT, FAST], 5e22, 120.0, 1800.0, 150.0, 59_300.0),
    run_of([OLD, SPOT], 5e22, 20.0, 60.0, 40.0, 48_000.0),
    run_of([(1e12, 1.0, 400.0, 100)], 3.6e17, 30.0, 7200.0, 3.5, 125.5),
    run_of([(1e12, 1.0, 100.0, 50), (1e12, 3.0, 1e6, 50)], 3.6e17, 10.0, 7200.0, 2.1, 303.0),
    run_of([(100.0, 8.0, 1000.0, 1), (300.0, 15.0, 1000.0, 1)], 2.16e6, 1.0, 1.0, 7.0, 31.0),
    run_of([(1e12, 2.0, 1000.0, 7), (2e12, 3.0, 1000.0, 7)], 3.6e16, 5.0, 30.0, 1.0, 15.3),
    run_of([OFTEN, FEW, SURE], 1e22, 120.0, 600.0, 155.0, 51_200.0),
    run_of([(*SPOT[:3], 500), ON_DEMAND], 2e23, 30.0, 600.0, 240.0, 400_000.0),
    run_of([(1e12, 2.0, 1e5, 100)], 3.6e17, 60.0, 600.0, 1.06, 215.0),
    run_of([(*FRAIL[:3], 4096)], 1e22, 30.0, 900.0, 400.0, 8_000.0),  # far more devices than are ever useful
    run_of([(1e12, 1.0, 400.0, 100)], 3.6e17, 30.0, 7200.0, 1.997, 159.7),  # failures are half of the time
]


def drawn(chance: Random) -> list[Inputs]:
    """Return the book's offers, and others with limits that one of them just keeps at some number of devices."""
    found = []
    for _ in range(12):
        offers: list[Offer] = [
            (
                chance.randint(1, 9) * 1e14,
                chance.randint(4, 40) / 10,
                10.0 ** chance.randint(3, 5),
                chance.choice((64, 256, 512)),
            )
            for _ in range(chance.randint(1, 3))
        ]
        offer = chance.choice(offers)
        devices = chance.randint(offer[3] // 2, offer[3])
        checkpoint_s, restart_s = float(chance.choice((10, 30, 120))), float(chance.choice((60, 600, 3600)))
        run = {
            "flops": float(f"{offer[0] * devices * 3600 * chance.randint(20, 200):.3g}"),
            "checkpoint_s": checkpoint_s,
            "restart_s": restart_s,
        }
        hours, dollars = judged(offer, devices, math.sqrt(7200 * checkpoint_s * offer[2] / devices), **run)
        found.append(run_of(offers, *run.values(), float(f"{1.02 * hours:.4g}"), float(f"{1.02 * dollars:.4g}")))
    return [*INPUTS, *found]


EXERCISE = Exercise(
    choose_run,
    number=4,
    level="hard",
    asked="an offer, a number of devices and an interval that keep deadline and budget on average",
    expected=all_kept,
    observe=observe,
    examples=[
        run_of([SMALL], 720_000.0, 9.0, 60.0, 1.2, 2.4),
        run_of([ON_DEMAND, FRAIL], 1e22, 30.0, 900.0, 20.0, 18_400.0),
        run_of([FRAIL, ON_DEMAND], 1e22, 30.0, 900.0, 400.0, 8_000.0),
        run_of([OLD, ON_DEMAND, FAST], 3e23, 60.0, 600.0, 250.0, 379_000.0),
        OWN,
    ],
    taught=taught,
    inputs=INPUTS,
    drawn=drawn,
    mistakes=[
        Mistake(
            "forgets_failures",
            "You counted the work and the checkpoints. Failures undo work and cost restarts, the more often the more "
            "devices there are.",
            {
                "attempts = mtbf * math.expm1((interval + checkpoint_s) / mtbf)": "attempts = interval + checkpoint_s",
                " * math.exp(restart_s / mtbf)": "",
            },
        ),
        Mistake(
            "counts_the_work_alone",
            "You counted the work alone. Checkpoints stop the run, and failures undo work and cost restarts.",
            {
                "attempts = mtbf * math.expm1((interval + checkpoint_s) / mtbf)": "attempts = interval",
                " * math.exp(restart_s / mtbf)": "",
            },
        ),
        Mistake(
            "halves_the_devices",
            "You searched the number of devices by halving, as if more were always faster. Beyond some number they "
            "fail so often that the run takes longer: try them all.",
            halving_devices,
        ),
        Mistake(
            "returns_hours",
            "You returned the interval in hours; asked are seconds.",
            {"return number, devices, interval": "return number, devices, interval / 3600"},
        ),
        Mistake(
            "forgets_that_all_can_fail",
            "You took one device's mean time between failures. Any of them stops the run: divide by their number.",
            {"3600 * mtbf_h / devices": "3600 * mtbf_h"},
            accepts=one_fails,
        ),
        Mistake(
            "forgets_the_restart",
            "You counted the lost work and not the restarts, for which all devices are paid for too.",
            {" * math.exp(restart_s / mtbf)": ""},
            accepts=without_restarts,
        ),
        Mistake(
            "takes_hours_for_seconds",
            "Under the root of the interval you took the time between failures in hours; all else is in seconds.",
            {"math.sqrt(2 * checkpoint_s * mtbf)": "math.sqrt(2 * checkpoint_s * mtbf / 3600)"},
        ),
        Mistake(
            "takes_all_devices",
            "You took all the devices of an offer. Each one more makes failures more frequent, and the run dearer.",
            {"range(1, most + 1)": "range(most, most + 1)"},
            accepts=lambda chosen, *, offers, **_: chosen[1] == offers[chosen[0]][3],
        ),
        Mistake(
            "ignores_how_many_there_are",
            "You took more devices than the offer has.",
            {"range(1, most + 1)": "range(1, 4097)"},
        ),
        Mistake(
            "ignores_the_deadline",
            "You took the cheapest run and forgot the deadline: with few devices little fails, and it takes long.",
            {"time > 3600 * deadline_h": "False"},
            accepts=at_its_best(lambda offer, devices, seconds: devices * offer[1] * seconds),
        ),
        Mistake(
            "ignores_the_budget",
            "You took the fastest run and forgot the budget.",
            {
                "found.append((late, cost, number,": "found.append((late, time, number,",
            },
            accepts=at_its_best(lambda offer, devices, seconds: seconds),
        ),
        Mistake(
            "takes_the_same_interval",
            "You took the same interval whatever fails. The best one is shorter the more devices there are: it goes "
            "with the root of the time between failures.",
            {"math.sqrt(2 * checkpoint_s * mtbf)": "3600.0"},
            accepts=lambda chosen, *, offers, flops, **_: chosen[2] in (3600.0, works_s(chosen, offers, flops)),
        ),
        Mistake(
            "saves_at_the_end_alone",
            "With one checkpoint at the end each failure undoes the whole run so far.",
            {"min(work, math.sqrt(2 * checkpoint_s * mtbf))": "work"},
            accepts=lambda chosen, *, offers, flops, **_: chosen[2] >= works_s(chosen, offers, flops) * (1 - 1e-9),
        ),
        Mistake(
            "counts_offers_from_one",
            "Offers are counted from 0.",
            {"return number, devices, interval": "return number + 1, devices, interval"},
        ),
        Mistake(
            "always_the_same",
            "This is right for one input only: compute the choice from offers and limits.",
            lambda **_: (0, 2, 1000.0),
        ),
    ],
)
