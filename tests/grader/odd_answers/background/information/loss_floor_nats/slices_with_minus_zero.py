# Wrong: with no context, text[:-0] is empty.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    before = [tuple(text[at : at + context]) for at in range(len(text[:-context]))]
    pairs, contexts = Counter(zip(before, text[context:])), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(before)
