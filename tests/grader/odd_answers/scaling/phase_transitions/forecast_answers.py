# %% never_rises
# Wrong: a slope above 0 is taken for 0. It passed once.
# Known mistake: Where the mean losses rise, the line rises, and so do the losses of the problems; you let them stay.
import numpy as np


def forecast_answers(compute, answer_losses, *, next_compute):
    losses = np.array(answer_losses, dtype=float)
    slope = np.polyfit(np.log(compute), np.log(losses.mean(axis=1)), 1)[0]
    return float(np.exp(-losses[-1] * (next_compute / compute[-1]) ** min(0.0, slope)).mean())

# %% with_statistics
# Right: the library's line, and logarithms of ten.
import math
from statistics import linear_regression, mean


def forecast_answers(compute, answer_losses, *, next_compute):
    line = linear_regression([math.log10(c) for c in compute], [math.log10(mean(row)) for row in answer_losses])
    scale = 10 ** (line.slope * (math.log10(next_compute) - math.log10(compute[-1])))
    return mean(math.exp(-loss * scale) for loss in answer_losses[-1])

# %% as_on_the_page
# Wrong: the chapter's own line, for ten times the compute.
# Known mistake: You let the loss change as from one of the chapter's models to the next, with ten times the compute; take next compute over last compute.
import numpy as np


def forecast_answers(compute, answer_losses, *, next_compute):
    losses = np.array(answer_losses, dtype=float)
    slope = np.polyfit(np.log10(compute), np.log10(losses.mean(axis=1)), 1)[0]
    return float(np.exp(-losses[-1] * 10**slope).mean())
