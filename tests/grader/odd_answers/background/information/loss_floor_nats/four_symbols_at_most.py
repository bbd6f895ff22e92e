# Wrong: looks at four symbols of a context at most.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [tuple(text[at - min(context, 4) : at]) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)
