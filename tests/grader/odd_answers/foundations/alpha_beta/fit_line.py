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
