# Wrong: forgets the order of the symbols in a context.
# Known mistake: The order counts: after 0, 1 something else may come than after 1, 0.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [tuple(sorted(text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)
