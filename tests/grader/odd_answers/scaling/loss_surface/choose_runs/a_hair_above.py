# Wrong: takes the budget for a little more than it is.
# Message: times the budget
from itertools import combinations_with_replacement

from snippets.scaling.loss_surface.compute_law import prediction_error


def choose_runs(sizes, *, budget, most_runs, target, law):
    choices = [
        (prediction_error(runs, target_flops=target, relative_noise=1, law=law), runs)
        for number in range(3, most_runs + 1)
        for runs in combinations_with_replacement(sizes, number)
        if sum(runs) <= 1.2 * budget
    ]
    return list(min(choices)[1])
