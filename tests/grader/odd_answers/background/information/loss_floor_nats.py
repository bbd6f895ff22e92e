# %% digits_of_base_10
# Wrong: takes contexts for numbers of base 10, in which 10, 0 and 0, 1 are the same.
# Known mistake: Contexts are mixed up: in base 10 the symbols 10, 0 make the number that 0, 1 make. Keep them as tuples.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [sum(t * 10**i for i, t in enumerate(text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)

# %% digits_of_base_16
# Wrong: takes contexts for numbers of base 16, in which 16, 0 and 0, 1 are the same. It passed once.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [sum(t * 16**i for i, t in enumerate(text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)

# %% digits_of_base_32
# Right: the symbols are below 32, so that each context has a number of its own.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [sum(t * 32**i for i, t in enumerate(text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)

# %% four_symbols_at_most
# Wrong: looks at four symbols of a context at most. It passed once.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [tuple(text[at - min(context, 4) : at]) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)

# %% numpy_float
# Right: one of NumPy's floats, and another way to count.
import numpy as np


def loss_floor_nats(text, *, context):
    followers = {}
    for at in range(context, len(text)):
        followers.setdefault(tuple(text[at - context : at]), []).append(text[at])
    loss = 0.0
    for after in followers.values():
        _, counts = np.unique(after, return_counts=True)
        loss -= (counts * np.log(counts / len(after))).sum()
    return loss / (len(text) - context)
