# Wrong: takes contexts for numbers of base 10, in which 10, 0 and 0, 1 are the same.
# Known mistake: Contexts are mixed up: in base 10 the symbols 10, 0 make the number that 0, 1 make. Keep them as tuples.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [sum(t * 10**i for i, t in enumerate(text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)
