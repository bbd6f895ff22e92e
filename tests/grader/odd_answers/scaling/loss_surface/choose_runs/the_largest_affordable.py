# Wrong: always one run of the largest size that can be paid for beside two others.
# Message: times the narrowest
from itertools import combinations_with_replacement

from snippets.scaling.loss_surface.compute_law import prediction_error


def choose_runs(sizes, *, budget, most_runs, target, law):
    choices = [
        (prediction_error(runs, target_flops=target, relative_noise=1, law=law), runs)
        for number in range(3, most_runs + 1)
        for runs in combinations_with_replacement(sizes, number)
        if sum(runs) <= budget * (1 + 1e-9)
        and max(runs) == max(s for s in sizes if s + sizes[0] + sizes[1] <= budget * (1 + 1e-9))
    ]
    return list(min(choices)[1])
