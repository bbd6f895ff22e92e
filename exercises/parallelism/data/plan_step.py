"""Exercise: machines, shares and micro-batches for a step whose gradient is exact and that meets two limits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import chain
from random import Random

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake

Plan = list[list[tuple[int, float]]]
Cuts = tuple[tuple[int, ...], ...]  # for each machine the sequences of its micro-batches
TIMES = ("launch_ms", "sequence_ms", "sum_ms")
LARGE = 100  # the sequences of the chapter's own question, whose answer is not told


def plan_step(
    *,
    sequences: int,
    machines: int,
    room: int,
    launch_ms: int,
    sequence_ms: int,
    sum_ms: int,
    limit_ms: int,
    budget_ms: int,
) -> list[list[tuple[int, float]]] | None:
    """Share one batch among machines, so that the step meets two limits.

    A micro-batch of b sequences takes launch_ms + b * sequence_ms, the first
    third of it forward and the rest backward. When every machine has begun the
    backward pass of its last micro-batch, the sum of the gradients begins; it
    takes 2 * (R - 1) / R * sum_ms on R machines, beside what is still computed.
    The step ends when all passes and the sum have ended.

    Each machine adds up the gradients of its micro-batches' mean losses, each
    times a weight of yours; the engine averages the machines' sums. The result
    has to be the gradient of the mean over all sequences, and each has to be
    used once. All sequences are equally long.

    Args:
        sequences: sequences of the batch.
        machines: how many machines there are at most.
        room: the most sequences of a micro-batch that fit into memory.
        launch_ms: what a micro-batch takes besides.
        sequence_ms: what a sequence takes.
        sum_ms: what the bytes of all gradients take on a link.
        limit_ms: the most that the step may take.
        budget_ms: the most that the step's time, times the machines that you
            use, may be.

    Returns:
        For each machine that you use its micro-batches in their order, each as
        its sequences, at least 1, and its weight. Any plan that meets both
        limits is right. ``None`` where there is none.

    >>> plan_step(
    ...     sequences=4, machines=2, room=2, launch_ms=1, sequence_ms=4,
    ...     sum_ms=6, limit_ms=17, budget_ms=40,
    ... )
    [[(2, 1.0)], [(2, 1.0)]]
    """

    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        return [own % room] * (own % room > 0) + [room] * (own // room)

    def step_ms(N: int) -> float:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms: float = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(passes_ms, passes_ms - last_ms + Fraction(2 * (N - 1) * sum_ms, N))

    for N in range(1, min(machines, sequences) + 1):
        if step_ms(N) <= limit_ms and N * step_ms(N) <= budget_ms:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return [[(b, N * b / sequences) for b in share(own)] for own in shares]
    return None


@cache
def cost(plan: Cuts, launch_ms: int, sequence_ms: int, sum_ms: int) -> Fraction:
    """Run a plan on a clock: machine by machine its passes, then the sum; return when the step ends."""
    began, ended = [], []
    for sizes in plan:
        now = Fraction(0)
        for b in sizes:
            forward = Fraction(launch_ms + b * sequence_ms, 3)
            began_last = now + forward
            now = began_last + 2 * forward
        began.append(began_last)
        ended.append(now)
    N = len(plan)
    return max(*ended, max(began) + Fraction(2 * (N - 1) * sum_ms, N))


@cache
def candidates(sequences: int, machines: int, room: int) -> tuple[Cuts, ...]:
    """List, for each number of machines, plans of which one is at least as good as every other: all even deals.

    With one sequence less a machine is through no later and has begun its last backward pass no later, so that even
    shares are best; of a share's cuts every one into the fewest micro-batches is listed.
    """
    found = []
    for N in range(1, min(machines, sequences) + 1):
        small, more = divmod(sequences, N)
        for cut in cuts(small + bool(more), room):
            low = cut if not more else (max(1, cut[0] - 1), *cut[1:]) if cut[0] > 1 else cut[1:] or (small,)
            found.append((cut,) * (more or N) + (low,) * (N - more if more else 0))
    return tuple(found)


def cuts(own: int, room: int) -> list[tuple[int, ...]]:
    """Cut a share into the fewest micro-batches: the last as large as each size that leaves enough for the others."""
    count = -(-own // room)
    found = list[tuple[int, ...]]()
    for last in range(1, min(room, own) + 1):
        rest = own - last
        if count == 1 and not rest:
            found.append((last,))
        elif count > 1 and count - 1 <= rest <= (count - 1) * room:
            small, more = divmod(rest, count - 1)
            found.append((*([small] * (count - 1 - more)), *([small + 1] * more), last))
    return found


def meets(plan: Cuts, limit_ms: int, budget_ms: int, *, launch_ms: int, sequence_ms: int, sum_ms: int) -> bool:
    step = cost(plan, launch_ms, sequence_ms, sum_ms)
    return step <= limit_ms and len(plan) * step <= budget_ms


@cache
def machines_that_meet(sequences: int, machines: int, room: int, limit_ms: int, budget_ms: int, *times: int) -> int:
    """Run every candidate until one meets both limits, and return its machines; 0 if none does."""
    named = dict(zip(TIMES, times, strict=True))
    plans = candidates(sequences, machines, room)
    return next((len(plan) for plan in plans if meets(plan, limit_ms, budget_ms, **named)), 0)


def one_that_meets(
    *, sequences: int, machines: int, room: int, limit_ms: int, budget_ms: int, **times: int
) -> str | None:
    """Say that there is a plan, in a small job also on how many machines, or that there is none."""
    N = machines_that_meet(sequences, machines, room, limit_ms, budget_ms, *(times[name] for name in TIMES))
    if not N:
        return None
    example = f", for example on {N} machine{'s' * (N > 1)}" if sequences < LARGE else ""
    return f"one with the exact gradient that meets both limits{example}"


def misses(plan: Plan, *, sequences: int, machines: int, room: int, limit_ms: int, budget_ms: int, **times: int) -> str:
    """Run a plan whose gradient is exact, and say which limit it misses."""
    if said := fault(plan, sequences, machines, room):
        return said
    sizes = tuple(tuple(b for b, _ in own) for own in plan)
    if meets(sizes, limit_ms, budget_ms, **times):
        return ""
    step = cost(sizes, **times)
    return (
        f"one on {len(plan)} machine{'s' * (len(plan) > 1)} whose step takes {float(step):.6g} ms of {limit_ms}, "
        f"and {float(len(plan) * step):.6g} ms of all machines, of {budget_ms}"
    )


def fault(plan: Plan, sequences: int, machines: int, room: int) -> str:
    """Say what is wrong with a plan before it runs, or nothing."""
    N = len(plan)
    if not 1 <= N <= machines:
        return (
            f"one on {N} machines, and there are {machines}"
            if N
            else "one without machines; None says that there is none"
        )
    pieces = [piece for own in plan for piece in own]
    cut = [b for b, _ in pieces if not isinstance(b, int)]
    if cut:
        size = f"{cut[0]:.4g}" if isinstance(cut[0], float) else str(cut[0])
        return f"one with a micro-batch of {size} sequences: a sequence cannot be cut"
    if not all(plan) or any(b < 1 for b, _ in pieces):
        return "one with a machine or a micro-batch that has no sequence"
    if max(b for b, _ in pieces) > room:
        return f"one with a micro-batch of {max(b for b, _ in pieces)} sequences, and there is room for {room}"
    if sum(b for b, _ in pieces) != sequences:
        return f"one that uses {sum(b for b, _ in pieces)} sequences, and the batch has {sequences}"
    counts = [weight / (N * b) * sequences for b, weight in pieces]
    worst = float(max(counts, key=lambda count: abs(count - 1)))
    if not abs(worst - 1) < 2e-5:
        return f"one in whose gradient a sequence counts for {worst:.6g} instead of 1"
    return ""


def by_rule(
    step_ms: Callable[[Cuts, int, int, int], Fraction] = cost,
    *,
    kept: Callable[[Cuts], bool] = lambda sizes: True,
    weighed: Callable[[int, int, int], Fraction] = lambda N, own, sequences: Fraction(N, sequences),
    below: bool = False,
) -> Callable[..., bool]:
    """Return what judges a plan with a slip: in a step's time, in plans, in a sequence's weight, or at the limits."""

    def accepts(plan: Plan | None, *, limit_ms: int, budget_ms: int, **inputs: int) -> bool:
        sequences, machines, room = (inputs[name] for name in ("sequences", "machines", "room"))

        def in_time(sizes: Cuts) -> bool:
            step = step_ms(sizes, *(inputs[name] for name in TIMES)) + Fraction(below, 10**9)
            return kept(sizes) and step <= limit_ms and len(sizes) * step <= budget_ms

        if plan is None:
            return not any(map(in_time, candidates(sequences, machines, room)))
        N, sizes = len(plan), tuple(tuple(b for b, _ in own) for own in plan)
        wanted = [[b * weighed(N, sum(own), sequences) for b in own] for own in sizes]
        pairs = zip(chain(*wanted), (weight for own in plan for _, weight in own), strict=True)
        as_weighed = all(abs(weight / share - 1) < 2e-5 for share, weight in pairs)
        exact = [[(b, N * b / sequences) for b in own] for own in sizes]
        return as_weighed and not fault(exact, sequences, machines, room) and in_time(sizes)

    return accepts


def summed_after(sizes: Cuts, launch_ms: int, sequence_ms: int, sum_ms: int) -> Fraction:
    return cost(sizes, launch_ms, sequence_ms, 0) + Fraction(2 * (len(sizes) - 1) * sum_ms, len(sizes))


def hidden_behind_all_of_the_last(sizes: Cuts, launch_ms: int, sequence_ms: int, sum_ms: int) -> Fraction:
    passes = cost(sizes, launch_ms, sequence_ms, 0)
    began = max(sum(launch_ms + b * sequence_ms for b in own[:-1]) for own in sizes)
    return max(passes, began + Fraction(2 * (len(sizes) - 1) * sum_ms, len(sizes)))


def sent_to_every_machine(sizes: Cuts, launch_ms: int, sequence_ms: int, sum_ms: int) -> Fraction:
    return cost(sizes, launch_ms, sequence_ms, len(sizes) * sum_ms)


def full_ones_first(sizes: Cuts) -> bool:
    return all(list(own) == sorted(own, reverse=True) for own in sizes)


def job(sequences: int, machines: int, room: int, *times: int) -> Inputs:
    return {"sequences": sequences, "machines": machines, "room": room, **dict(zip(TIMES, times, strict=True))}


def limits(inputs: Inputs) -> list[Inputs]:
    """Return limits that some plan just meets, and limits just out of reach."""
    times = {name: inputs[name] for name in TIMES}
    best: dict[int, Fraction] = {}
    for plan in candidates(inputs["sequences"], inputs["machines"], inputs["room"]):
        step = cost(plan, **times)
        best[len(plan)] = min(step, best.get(len(plan), step))
    found = []
    for N, step in best.items():
        ceiling, budget = -(-step // 1), -(-N * step // 1)
        found.append({**inputs, "limit_ms": int(ceiling), "budget_ms": int(budget)})
        if N % 2 == 0 or N == 1:
            found.append({**inputs, "limit_ms": int(ceiling), "budget_ms": int(budget) - 1})
            found.append({**inputs, "limit_ms": int(ceiling) - 1, "budget_ms": int(budget)})
    return [case for case in found if case["limit_ms"] > 0 and case["budget_ms"] > 0]


JOBS = [
    job(4, 2, 2, 1, 4, 6),
    job(5, 3, 2, 0, 3, 7),
    job(6, 6, 3, 2, 5, 9),
    job(7, 4, 3, 4, 2, 20),
    job(9, 4, 8, 3, 5, 30),
    job(11, 5, 2, 1, 6, 25),
    job(16, 7, 3, 2, 3, 4),
    job(13, 6, 4, 6, 7, 60),
    job(14, 4, 3, 2, 3, 8),
    job(10, 6, 2, 3, 4, 5),
    job(28, 14, 3, 1, 5, 4),
]

CHOICE = Choice("plan", one_that_meets, misses, none="None, since no plan meets both limits")


def drawn(chance: Random) -> list[Inputs]:
    """Return jobs with limits that some plan just meets, and limits just out of reach."""
    found = []
    for _ in range(12):
        sequences, machines, room = chance.randint(4, 18), chance.randint(2, 7), chance.randint(2, 5)
        one = job(sequences, machines, room, chance.randint(0, 6), chance.randint(2, 7), chance.randint(3, 40))
        several = limits(one)
        found += chance.sample(several, min(6, len(several)))
    return found


def taught() -> str:
    own = EXERCISE.examples[-1]
    sizes = tuple(tuple(b for b, _ in machine) for machine in plan_step(**own) or [])
    N, cut = len(sizes), sizes[0]

    def step_ms(plan: Cuts) -> float:
        return float(cost(plan, *(own[name] for name in TIMES)))

    def least_ms(machines: int) -> float:
        plans = candidates(own["sequences"], machines, own["room"])
        return min(step_ms(plan) for plan in plans if len(plan) == machines)

    return (
        f"{N} machines, each with {' and then '.join(map(str, cut))} sequences: {step_ms(sizes):.1f} ms, "
        f"{N * step_ms(sizes):,.0f} of all. {N - 1} machines take at least {least_ms(N - 1):.1f} ms; {N + 1} take "
        f"{least_ms(N + 1):.1f}, {(N + 1) * least_ms(N + 1):,.0f} of all. With the {cut[0]} last it is "
        f"{step_ms((cut[::-1],) * N):.1f} ms, with two of 5 {step_ms(((5, 5),) * N):.1f}: the last micro-batch hides "
        "the sum, so let it be the largest."
    )


EXERCISE = Exercise(
    plan_step,
    number=5,
    level="hard",
    asked="a plan with the exact gradient whose step keeps to both limits",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        {**job(4, 2, 2, 1, 4, 6), "limit_ms": 17, "budget_ms": 40},
        {**job(4, 2, 4, 1, 4, 6), "limit_ms": 17, "budget_ms": 40},
        {**job(3, 2, 2, 0, 3, 0), "limit_ms": 6, "budget_ms": 12},
        {**job(4, 1, 2, 1, 4, 6), "limit_ms": 17, "budget_ms": 40},
        {**job(4, 4, 4, 0, 3, 40), "limit_ms": 12, "budget_ms": 12},
        {**job(100, 24, 8, 4, 12, 120), "limit_ms": 280, "budget_ms": 2800},
    ],
    inputs=[
        *(case for one in JOBS for case in limits(one)),
        {**job(9, 9, 8, 0, 2, 0), "limit_ms": 4, "budget_ms": 18},
        {**job(10, 9, 3, 1, 3, 2), "limit_ms": 10, "budget_ms": 50},
        {**job(2, 4, 2, 1, 4, 0), "limit_ms": 5, "budget_ms": 20},
        {**job(12, 12, 2, 1, 3, 0), "limit_ms": 4, "budget_ms": 48},
        {**job(3, 6, 2, 1, 4, 6), "limit_ms": 8, "budget_ms": 48},
        {**job(4, 2, 2, 0, 6, 3), "limit_ms": 12, "budget_ms": 24},
        {**job(17, 5, 3, 1, 3, 4), "limit_ms": 14, "budget_ms": 70},
        {**job(12, 1, 12, 10, 1, 0), "limit_ms": 22, "budget_ms": 22},
        {**job(40, 2, 20, 9, 2, 7), "limit_ms": 49, "budget_ms": 98},
    ],
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "sums_after_the_pass",
            "This lets the sum begin when all passes have ended; it runs beside the last backward pass.",
            {"passes_ms - last_ms + Fraction(2": "passes_ms + Fraction(2"},
            accepts=by_rule(summed_after),
        ),
        Mistake(
            "hides_behind_the_forward_pass_too",
            "The sum begins with the backward pass of the last micro-batch, two thirds of it, and not with the forward "
            "pass.",
            {"Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)": "launch_ms + sizes[-1] * sequence_ms"},
            accepts=by_rule(hidden_behind_all_of_the_last),
        ),
        Mistake(
            "puts_the_full_ones_first",
            "The last micro-batch hides the sum, so it should be the largest.",
            {
                "[own % room] * (own % room > 0) + [room] * (own // room)": "[room] * (own // room) + [own % room] * "
                "(own % room > 0)"
            },
            accepts=by_rule(kept=full_ones_first),
        ),
        Mistake(
            "adds_over_machines",
            "The engine averages the machines' sums, which divides your weights by their number.",
            {"N * b / sequences": "b / sequences"},
            accepts=by_rule(weighed=lambda N, own, sequences: Fraction(1, sequences)),
        ),
        Mistake(
            "gives_the_rest_to_one",
            "One machine gets all that is left over, and the others wait for it: deal the sequences more evenly.",
            {
                "-(-sequences // N)": "sequences // N + sequences % N",
                "sequences // N + (r < sequences % N)": "sequences // N + (sequences % N if r == 0 else 0)",
            },
        ),
        Mistake(
            "sends_to_every_machine",
            "The sum takes 2 * (N - 1) / N times sum_ms: here the division by N is missing.",
            {"Fraction(2 * (N - 1) * sum_ms, N)": "2 * (N - 1) * sum_ms"},
            accepts=by_rule(sent_to_every_machine),
        ),
        Mistake(
            "counts_on_each_machine_alone",
            "With such weights each machine has the mean over its own sequences, so that a sequence of a smaller share "
            "counts for more.",
            {"N * b / sequences": "b / own"},
            accepts=by_rule(weighed=lambda N, own, sequences: Fraction(1, own)),
        ),
        Mistake(
            "takes_divisors_alone",
            "The machines need not divide the batch: shares may differ by one sequence.",
            {"if step_ms(N) <= limit_ms": "if sequences % N == 0 and step_ms(N) <= limit_ms"},
            accepts=by_rule(kept=lambda sizes: len({sum(own) for own in sizes}) == 1),
        ),
        Mistake(
            "stays_below_the_limits",
            "A step that takes exactly limit_ms, or exactly budget_ms on all machines, is allowed.",
            {"step_ms(N) <= limit_ms": "step_ms(N) < limit_ms", "* step_ms(N) <= budget": "* step_ms(N) < budget"},
            accepts=by_rule(below=True),
        ),
        Mistake(
            "gives_up",
            "There is a plan that meets both limits.",
            lambda **_: None,
        ),
    ],
)
