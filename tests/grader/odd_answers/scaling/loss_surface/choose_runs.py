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

# %% another_design
# Right: the cheapest choice within 0.45% of the narrowest, largest run first.
from itertools import combinations_with_replacement

from snippets.scaling.loss_surface.compute_law import ladder_prediction_error


def choose_runs(sizes, *, budget, most_runs, target, law):
    found = []
    for number in range(most_runs, 2, -1):
        for runs in combinations_with_replacement(sizes, number):
            if sum(runs) <= budget * (1 + 1e-9) and len(set(runs)) > 2:
                error = ladder_prediction_error(runs, target_flops=target, relative_noise=0.01, law=law)
                found.append((error, sum(runs), runs))
    least = min(found)[0]
    cheap = [(cost, runs) for error, cost, runs in found if error <= 1.0045 * least]
    return min(cheap)[1][::-1]
