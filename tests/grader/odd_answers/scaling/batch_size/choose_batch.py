# %% of_equal_pairs_the_largest_batch
# Right: of equal pairs the largest batch.
import math


def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    D = []
    for b in batches:
        for n in gpus:
            if b % n:
                continue
            S = fewest_steps * (1 + critical_batch / b)
            h = S * (fixed_s + b / n / examples_per_s) / 3600
            u = h * n * usd_per_gpu_hour
            if h <= deadline_h and u <= budget_usd:
                D.append((round(u if wanted == "cheapest" else h, 9), -b, n))
    return (-min(D)[1], min(D)[2])

# %% below_both_limits
# Wrong: a run that takes just the hours and the dollars is not allowed; it passed once.
from __future__ import annotations

from collections.abc import Sequence


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
            if hours < deadline_h and usd < budget_usd and score < best:
                best, found = score, (batch, ranks)
    return found

# %% below_the_deadline
# Wrong: a run that takes just the hours is not allowed.
from __future__ import annotations

from collections.abc import Sequence


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
            if hours < deadline_h and usd <= budget_usd and score < best:
                best, found = score, (batch, ranks)
    return found

# %% below_the_budget
# Wrong: a run that takes just the dollars is not allowed.
from __future__ import annotations

from collections.abc import Sequence


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
            if hours <= deadline_h and usd < budget_usd and score < best:
                best, found = score, (batch, ranks)
    return found

# %% a_set_where_order_matters
# Wrong: a set, though batch and GPUs have an order.
# Message: a set
from __future__ import annotations

from collections.abc import Sequence


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
    return set(found)

# %% another_design
# Right: of several pairs that are as good the one with the most GPUs.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus, reverse=True):
        for b in sorted(batches, reverse=True):
            if b % n:
                continue
            steps = fewest_steps * (1 + critical_batch / b)
            hours = steps * (fixed_s + b / n / examples_per_s) / 3600
            usd = hours * n * usd_per_gpu_hour
            if hours <= deadline_h * 1.0001 and usd <= budget_usd * 1.0001:
                runs.append((round(usd if wanted == "cheapest" else hours, 6), -n, b, n))
    _, _, b, n = min(runs) if runs else (0, 0, 0, 0)
    return b, n

# %% most_gpus_are_fastest
# Wrong: the most GPUs that fit, then their best batch; it passed once.
# Message: right on
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    best = min(runs, key=lambda run: (run[1] if wanted == "cheapest" else -run[3], run[0]))
    return best[2], best[3]

# %% fewest_gpus_are_cheapest
# Wrong: the fewest GPUs that fit, then their best batch.
# Message: right on
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    best = min(runs, key=lambda run: (run[3], run[1]) if wanted == "cheapest" else run[0])
    return best[2], best[3]

# %% fewest_gpus_within_a_percent
# Wrong: of runs within 1% of the best the one with the fewest GPUs; it passed once.
# Message: right on
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    most = 1.01 * min(run[i] for run in runs)
    return min((run[2:] for run in runs if run[i] <= most), key=lambda pair: pair[1])

# %% smallest_batch_within_a_percent
# Wrong: of runs within 1% of the best the one with the smallest batch.
# Message: right on
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    most = 1.01 * min(run[i] for run in runs)
    return min((run[2:] for run in runs if run[i] <= most), key=lambda pair: pair[0])

# %% largest_batch_within_a_percent
# Wrong: of runs within 1% of the best the one with the largest batch.
# Message: right on
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    most = 1.01 * min(run[i] for run in runs)
    return min((run[2:] for run in runs if run[i] <= most), key=lambda pair: -pair[0])

# %% stops_where_the_bill_rises
# Wrong: goes through the batches as given until the score rises; it passed once.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    found = []
    for n in gpus:
        last = None
        for b in batches:
            if b % n:
                continue
            h = fewest_steps * (1 + critical_batch / b) * (fixed_s + b / n / examples_per_s) / 3600
            u = h * n * usd_per_gpu_hour
            if last is not None and u > last:
                break
            last = u
            if h <= deadline_h and u <= budget_usd:
                found.append((u if wanted == "cheapest" else h, b, n))
    return min(found)[1:]

# %% nearest_in_examples
# Wrong: of each number of GPUs the batch nearest to the root, in examples; it passed once.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    found = []
    for n in gpus:
        best = (critical_batch * fixed_s * n * examples_per_s) ** 0.5
        for b in sorted((b for b in batches if b % n == 0), key=lambda b: abs(b - best)):
            h = fewest_steps * (1 + critical_batch / b) * (fixed_s + b / n / examples_per_s) / 3600
            u = h * n * usd_per_gpu_hour
            if h <= deadline_h and u <= budget_usd:
                found.append((u if wanted == "cheapest" else h, b, n))
                break
    return min(found)[1:]

# %% hours_rounded
# Wrong: hours are rounded to two decimals; it passed once.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = round(fewest_steps * (1 + critical_batch / b) * t / 3600, 2)
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    best = min(runs, key=lambda run: run[i])
    return best[2], best[3]

# %% deadline_in_days
# Wrong: takes the deadline for days; was told that it ignores the deadline.
# Message: right on
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= 24 * deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    best = min(runs, key=lambda run: run[i])
    return best[2], best[3]

# %% a_step_within_the_deadline
# Wrong: holds one step against the deadline; was told that it ignores the deadline.
# Message: right on
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if t / 3600 <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    best = min(runs, key=lambda run: run[i])
    return best[2], best[3]

# %% a_step_within_the_budget
# Wrong: holds the dollars of one step against the budget.
# Message: right on
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and t / 3600 * n * usd_per_gpu_hour <= budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    best = min(runs, key=lambda run: run[i])
    return best[2], best[3]

# %% budget_24_times
# Wrong: takes 24 times the budget.
# Message: right on
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= 24 * budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    best = min(runs, key=lambda run: run[i])
    return best[2], best[3]

# %% a_wall
# Wrong: the wall, in another design.
# Known mistake: You let the steps fall as one over the batch up to the critical batch, and no more beyond. There is no wall: at the critical batch they are twice the fewest.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = max(fewest_steps, fewest_steps * critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    best = min(runs, key=lambda run: run[i])
    return best[2], best[3]

# %% always_near_the_critical_batch
# Wrong: the critical batch, or of those given the nearest.
# Known mistake: You always took the critical batch. It balances steps and examples; what is best depends on the fixed seconds, the GPUs and the limits.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    b = min(batches, key=lambda one: max(one / critical_batch, critical_batch / one))
    runs = []
    for n in gpus:
        if b % n == 0:
            h = fewest_steps * (1 + critical_batch / b) * (fixed_s + b / n / examples_per_s) / 3600
            u = h * n * usd_per_gpu_hour
            if h <= deadline_h and u <= budget_usd:
                runs.append((u if wanted == "cheapest" else h, n))
    return b, min(runs)[1] if runs else min(gpus)

# %% bill_of_computing
# Wrong: pays for the seconds of computing only.
# Known mistake: The GPUs wait in the fixed seconds, and are paid: the bill is all hours of all GPUs.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = fewest_steps * (1 + critical_batch / b) * (t - fixed_s) / 3600 * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    best = min(runs, key=lambda run: run[i])
    return best[2], best[3]

# %% swaps_them
# Wrong: the other of cheapest and fastest.
# Known mistake: You took the fastest run where the cheapest is wanted, and the cheapest where the fastest is.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    best = min(runs, key=lambda run: run[0] if wanted == "cheapest" else run[1])
    return best[2], best[3]

# %% the_cheapest_of_all
# Wrong: the cheapest, whatever is wanted.
# Known mistake: You took the cheapest run, whichever was wanted: where that is the fastest, the hours decide.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    best = min(runs, key=lambda run: run[1])
    return best[2], best[3]

# %% the_fastest_of_all
# Wrong: the fastest, whatever is wanted.
# Known mistake: You took the fastest run, whichever was wanted: where that is the cheapest, the dollars decide.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h <= deadline_h and u <= budget_usd:
                    runs.append((h, u, b, n))
    best = min(runs, key=lambda run: run[0])
    return best[2], best[3]

# %% min_of_nothing
# Wrong: strictly below both limits, and then nothing is left.
# Known mistake: No pair was left where one just meets a limit. A run may take all the hours, or all the dollars: <=.
def choose_batch(
    *,
    wanted,
    critical_batch,
    fewest_steps,
    examples_per_s,
    fixed_s,
    usd_per_gpu_hour,
    batches,
    gpus,
    deadline_h,
    budget_usd,
):
    runs = []
    for n in sorted(gpus):
        for b in sorted(batches):
            if b % n == 0:
                t = fixed_s + b / n / examples_per_s
                h = fewest_steps * (1 + critical_batch / b) * t / 3600
                u = h * n * usd_per_gpu_hour
                if h < deadline_h and u < budget_usd:
                    runs.append((h, u, b, n))
    i = 1 if wanted == "cheapest" else 0
    best = min(runs, key=lambda run: run[i])
    return best[2], best[3]
