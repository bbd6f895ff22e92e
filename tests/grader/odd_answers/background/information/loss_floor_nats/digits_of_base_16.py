# Wrong: takes contexts for numbers of base 16, in which 16, 0 and 0, 1 are the same.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [sum(t * 16**i for i, t in enumerate(text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)
