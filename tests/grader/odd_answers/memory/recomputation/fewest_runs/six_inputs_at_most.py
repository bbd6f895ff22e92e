# Wrong: never keeps more than six inputs.
from functools import cache


@cache
def fewest(layers, inputs):
    if layers == 1 or inputs == 1:
        return layers * (layers + 1) // 2
    return min(j + fewest(layers - j, inputs - 1) + fewest(j, inputs) for j in range(1, layers))


def fewest_runs(*, layers, checkpoints):
    return fewest(layers, min(checkpoints, 6))
