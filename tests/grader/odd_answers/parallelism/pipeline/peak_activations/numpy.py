# Right: NumPy's largest.
import numpy as np


def peak_activations(order):
    last = "W" if "W" in [kind for kind, _ in order] else "B"
    return np.cumsum([(kind == "F") - (kind == last) for kind, _ in order] + [0]).max(initial=0)
