# Wrong: counts from 1.
# Message: always one too many
from itertools import accumulate


def peak_activations(order):
    last = "W" if any(kind == "W" for kind, _ in order) else "B"
    return max(accumulate(((kind == "F") - (kind == last) for kind, _ in order), initial=1))
