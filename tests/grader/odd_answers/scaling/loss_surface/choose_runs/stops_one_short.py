# Wrong: Python's range ends before its end.
# Known mistake: You never make as many runs as are allowed: look at where your counting ends.
from itertools import combinations_with_replacement

from snippets.scaling.loss_surface.compute_law import prediction_error


def choose_runs(sizes, *, budget, most_runs, target, law):
    choices = [
        (prediction_error(runs, target_flops=target, relative_noise=1, law=law), runs)
        for number in range(3, most_runs)
        for runs in combinations_with_replacement(sizes, number)
        if sum(runs) <= budget * (1 + 1e-9)
    ]
    return list(min(choices)[1]) if choices else []
