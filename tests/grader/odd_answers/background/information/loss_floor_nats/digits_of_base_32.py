# Right: the symbols are below 32, so that each context has a number of its own.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = [sum(t * 32**i for i, t in enumerate(text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)
