# %% numpy
# Right: NumPy's largest.
import numpy as np


def peak_activations(order):
    last = "W" if "W" in [kind for kind, _ in order] else "B"
    return np.cumsum([(kind == "F") - (kind == last) for kind, _ in order] + [0]).max(initial=0)

# %% prints_every_pass
# Right: prints on the way.
def peak_activations(order):
    last = max((kind for kind, _ in order if kind in "BW"), default="B")
    held, peak = set(), 0
    for kind, number in order:
        if kind == "F":
            held.add(number)
        elif kind == last:
            held.remove(number)
        peak = max(peak, len(held))
        print(f"{kind}{number}: {sorted(held)}")
    return peak
