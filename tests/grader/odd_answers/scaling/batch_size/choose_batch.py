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
