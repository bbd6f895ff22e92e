# %% a_hair_above
# Wrong: takes the budget for a little more than it is.
# Message: times the budget
from itertools import combinations_with_replacement

from snippets.scaling.loss_surface.compute_law import ladder_prediction_error


def choose_runs(sizes, *, budget, most_runs, target, law):
    choices = [
        (ladder_prediction_error(runs, target_flops=target, relative_noise=1, law=law), runs)
        for number in range(3, most_runs + 1)
        for runs in combinations_with_replacement(sizes, number)
        if sum(runs) <= 1.2 * budget
    ]
    return list(min(choices)[1])

# %% at_most_seven
# Wrong: never more than seven runs, as in the chapter.
# Message: times the narrowest
from itertools import combinations_with_replacement

from snippets.scaling.loss_surface.compute_law import ladder_prediction_error


def choose_runs(sizes, *, budget, most_runs, target, law):
    choices = [
        (ladder_prediction_error(runs, target_flops=target, relative_noise=1, law=law), runs)
        for number in range(3, min(7, most_runs) + 1)
        for runs in combinations_with_replacement(sizes, number)
        if sum(runs) <= budget * (1 + 1e-9)
    ]
    return list(min(choices)[1])

# %% by_counts
# Right: goes through counts of each size, largest size first, and returns a tuple in falling order.
from itertools import product

from snippets.scaling.loss_surface.compute_law import ladder_prediction_error


def choose_runs(sizes, *, budget, most_runs, target, law):
    best = (float("inf"), ())
    for counts in product(range(most_runs + 1), repeat=len(sizes)):
        cost = sum(n * size for n, size in zip(counts, sizes))
        if 3 <= sum(counts) <= most_runs and cost <= budget * (1 + 1e-9):
            runs = [size for n, size in zip(counts, sizes) for _ in range(n)]
            error = ladder_prediction_error(runs, target_flops=target, relative_noise=0.005, law=law)
            best = min(best, (error, tuple(reversed(runs))))
    return best[1]

# %% middle_only
# Wrong: one small run, one large one, and the rest in the middle.
# Message: times the narrowest
def choose_runs(sizes, *, budget, most_runs, target, law):
    runs = [sizes[0], max(size for size in sizes if sizes[0] + sizes[1] + size <= budget * 1.000001)]
    middle = sizes[len(sizes) // 2] if sizes[len(sizes) // 2] != runs[1] else sizes[1]
    while len(runs) < most_runs and sum(runs) + middle <= budget * 1.000001:
        runs.append(middle)
    while len(set(runs)) < 3 and len(runs) < most_runs:
        runs.append(next(size for size in sizes if size not in runs))
    return runs

# %% numbers_for_sizes
# Wrong: how often each size is made.
# Message: which is none of the sizes given
def choose_runs(sizes, *, budget, most_runs, target, law):
    return [1.0] * len(sizes)

# %% stops_one_short
# Wrong: Python's range ends before its end.
# Known mistake: You never make as many runs as are allowed: look at where your counting ends.
from itertools import combinations_with_replacement

from snippets.scaling.loss_surface.compute_law import ladder_prediction_error


def choose_runs(sizes, *, budget, most_runs, target, law):
    choices = [
        (ladder_prediction_error(runs, target_flops=target, relative_noise=1, law=law), runs)
        for number in range(3, most_runs)
        for runs in combinations_with_replacement(sizes, number)
        if sum(runs) <= budget * (1 + 1e-9)
    ]
    return list(min(choices)[1]) if choices else []

# %% the_largest_affordable
# Wrong: always one run of the largest size that can be paid for beside two others.
# Message: times the narrowest
from itertools import combinations_with_replacement

from snippets.scaling.loss_surface.compute_law import ladder_prediction_error


def choose_runs(sizes, *, budget, most_runs, target, law):
    choices = [
        (ladder_prediction_error(runs, target_flops=target, relative_noise=1, law=law), runs)
        for number in range(3, most_runs + 1)
        for runs in combinations_with_replacement(sizes, number)
        if sum(runs) <= budget * (1 + 1e-9)
        and max(runs) == max(s for s in sizes if s + sizes[0] + sizes[1] <= budget * (1 + 1e-9))
    ]
    return list(min(choices)[1])
