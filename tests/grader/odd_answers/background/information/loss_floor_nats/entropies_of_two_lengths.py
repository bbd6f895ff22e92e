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
