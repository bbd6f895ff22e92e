# Wrong: works without W, and raises NotImplementedError with it: tried, not open.
# Message: NotImplementedError
from itertools import accumulate


def peak_activations(order):
    if any(kind == "W" for kind, _ in order):
        raise NotImplementedError("split backwards are still to be written")
    return max(accumulate(1 if kind == "F" else -1 for kind, _ in order), default=0)
