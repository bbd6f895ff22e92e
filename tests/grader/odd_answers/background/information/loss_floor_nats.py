# %% contexts_as_text
# Wrong: 1, 11 and 11, 1 are the same text: right only where all symbols have one digit.
# Known mistake: Contexts are mixed up: 1, 11 and 11, 1 are the same digits. Keep them as tuples.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = ["".join(map(str, text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)

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

# %% entropies_of_two_lengths
# Wrong: the entropy of all stretches of one symbol more, less that of all contexts, the last of which has no symbol after it.
# Known mistake: This counts one context more than stretches with a symbol after them: the last one has none.
from collections import Counter
from math import log


def entropy(text, length):
    seen = Counter(tuple(text[at : at + length]) for at in range(len(text) - length + 1))
    total = sum(seen.values())
    return -sum(n / total * log(n / total) for n in seen.values())


def loss_floor_nats(text, *, context):
    return entropy(text, context + 1) - entropy(text, context)

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

# %% sorted_contexts
# Wrong: forgets the order of the symbols in a context.
# Known mistake: The order counts: after 0, 1 something else may come than after 1, 0.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [tuple(sorted(text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)
