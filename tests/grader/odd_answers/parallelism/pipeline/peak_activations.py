# %% an_assertion
# Wrong: an assertion of its own, without a text.
# Message: AssertionError (line 6)
def peak_activations(order):
    held = peak = 0
    for kind, _ in order:
        assert kind in "FB"
        held += 1 if kind == "F" else -1
        peak = max(peak, held)
    return peak

# %% no_passes_forgotten
# Wrong: an order may be empty.
# Message: ValueError
from itertools import accumulate


def peak_activations(order):
    last = "W" if any(kind == "W" for kind, _ in order) else "B"
    return max(accumulate((kind == "F") - (kind == last) for kind, _ in order))

# %% not_written_for_split_backwards
# Wrong: works without W, and raises NotImplementedError with it: tried, not open.
# Message: NotImplementedError
from itertools import accumulate


def peak_activations(order):
    if any(kind == "W" for kind, _ in order):
        raise NotImplementedError("split backwards are still to be written")
    return max(accumulate(1 if kind == "F" else -1 for kind, _ in order), default=0)

# %% numpy
# Right: NumPy's largest.
import numpy as np


def peak_activations(order):
    last = "W" if "W" in [kind for kind, _ in order] else "B"
    return np.cumsum([(kind == "F") - (kind == last) for kind, _ in order] + [0]).max(initial=0)

# %% one_too_many
# Wrong: counts from 1.
# Message: always one too many
from itertools import accumulate


def peak_activations(order):
    last = "W" if any(kind == "W" for kind, _ in order) else "B"
    return max(accumulate(((kind == "F") - (kind == last) for kind, _ in order), initial=1))

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

# %% takes_the_order_apart
# Wrong: empties the list that it was given.
# Message: order is changed: work on a copy
def peak_activations(order):
    last = "W" if any(kind == "W" for kind, _ in order) else "B"
    held = peak = 0
    while order:
        kind, _ = order.pop(0)
        held += (kind == "F") - (kind == last)
        peak = max(peak, held)
    return peak
