# %% binomial
# Right: the closed form.
from math import comb


def fewest_runs(*, layers, checkpoints):
    r = 0
    while comb(checkpoints + r, checkpoints) < layers:
        r += 1
    return layers * (r + 1) - (comb(checkpoints + r, r - 1) if r else 0)

# %% six_inputs_at_most
# Wrong: never keeps more than six inputs. It passed once.
from functools import cache


@cache
def fewest(layers, inputs):
    if layers == 1 or inputs == 1:
        return layers * (layers + 1) // 2
    return min(j + fewest(layers - j, inputs - 1) + fewest(j, inputs) for j in range(1, layers))


def fewest_runs(*, layers, checkpoints):
    return fewest(layers, min(checkpoints, 6))

# %% table
# Right: a table from the bottom up.
def fewest_runs(*, layers, checkpoints):
    rows = [[0, *(n * (n + 1) // 2 for n in range(1, layers + 1))]]
    for _ in range(1, checkpoints):
        row = [0, 1]
        for n in range(2, layers + 1):
            row.append(min(j + rows[-1][n - j] + row[j] for j in range(1, n)))
        rows.append(row)
    return rows[-1][layers]
