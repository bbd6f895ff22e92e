# %% an_array
# Right: α and β in an array.
import numpy as np


def fit_line(sizes_bytes, times_s):
    slope, latency = np.polyfit(sizes_bytes, times_s, 1, w=1 / np.array(times_s))
    return np.array([latency, 1 / slope])


# %% exact_fractions
# Right: the normal equations in fractions.
from fractions import Fraction


def fit_line(sizes_bytes, times_s):
    rows = [(Fraction(n), Fraction(t), 1 / Fraction(t) ** 2) for n, t in zip(sizes_bytes, times_s)]
    w, wn, wt = (sum(row[2] * row[i] if i < 2 else row[2] for row in rows) for i in (2, 0, 1))
    wnn, wnt = sum(x * n * n for n, _, x in rows), sum(x * n * t for n, t, x in rows)
    slope = (w * wnt - wn * wt) / (w * wnn - wn * wn)
    return (wt - slope * wn) / w, 1 / slope


# %% no_negative_latency
# Wrong: it cuts α off at 0. It passed once.
# Known mistake: A fitted α may be below zero, and it then says that the line is wrong near 0. Return it as it is.
import numpy as np


def fit_line(sizes_bytes, times_s):
    slope, latency = np.polyfit(sizes_bytes, times_s, 1, w=1 / np.array(times_s))
    return max(0.0, latency), 1 / slope


# %% one_time_for_a_size
# Wrong: of a size that comes twice it keeps the last time. It passed once.
# Known mistake: A size may come twice, and both of its times count.
import numpy as np


def fit_line(sizes_bytes, times_s):
    known = dict(zip(sizes_bytes, times_s))
    slope, latency = np.polyfit(list(known), list(known.values()), 1, w=1 / np.array(list(known.values())))
    return latency, 1 / slope


# %% sorted_sizes
# Wrong: it sorts the sizes without their times. It passed once.
# Known mistake: The sizes were sorted and their times were not: keep each time with its size.
import numpy as np


def fit_line(sizes_bytes, times_s):
    slope, latency = np.polyfit(sorted(sizes_bytes), times_s, 1, w=1 / np.array(times_s))
    return latency, 1 / slope


# %% no_time_below_a_microsecond
# Wrong: it takes shorter times for a microsecond in the weights. It passed once.
import numpy as np


def fit_line(sizes_bytes, times_s):
    weights = 1 / np.maximum(np.array(times_s), 1e-6)
    slope, latency = np.polyfit(sizes_bytes, times_s, 1, w=weights)
    return latency, 1 / slope


# %% thirteen_at_most
# Wrong: it looks at thirteen points. It passed once.
import numpy as np


def fit_line(sizes_bytes, times_s):
    n, t = np.array(sizes_bytes[:13]), np.array(times_s[:13])
    slope, latency = np.polyfit(n, t, 1, w=1 / t)
    return latency, 1 / slope
