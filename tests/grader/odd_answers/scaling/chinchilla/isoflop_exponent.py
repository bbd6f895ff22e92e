# %% clips_the_bottom
# Wrong: never lets a bottom lie outside the three sizes. It passed once.
import numpy as np


def isoflop_exponent(valleys):
    bottoms = []
    for _, runs in valleys:
        x, y = np.log([n for n, _ in runs]), [loss for _, loss in runs]
        c, s, _ = np.polyfit(x, y, 2)
        bottoms.append(min(max(-s / (2 * c), x.min()), x.max()))
    return np.polyfit(np.log([C for C, _ in valleys]), bottoms, 1)[0]

# %% lagrange
# Right: the parabola from its three coefficients, the line from sums.
import math


def isoflop_exponent(valleys):
    xs, ys = [], []
    for flops, runs in valleys:
        (n1, l1), (n2, l2), (n3, l3) = sorted(runs, reverse=True)
        a, b, c = math.log(n1), math.log(n2), math.log(n3)
        top = (b * b - c * c) * l1 + (c * c - a * a) * l2 + (a * a - b * b) * l3
        under = (b - c) * l1 + (c - a) * l2 + (a - b) * l3
        xs.append(math.log10(flops))
        ys.append(top / under / 2 / math.log(10))
    n = len(xs)
    over = n * sum(x * y for x, y in zip(xs, ys)) - sum(xs) * sum(ys)
    return over / (n * sum(x * x for x in xs) - sum(xs) ** 2)
