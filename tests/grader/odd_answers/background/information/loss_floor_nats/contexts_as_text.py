# Wrong: 1, 11 and 11, 1 are the same text: right only where all symbols have one digit.
# Known mistake: Contexts are mixed up: 1, 11 and 11, 1 are the same digits. Keep them as tuples.
from collections import Counter
from math import log


def loss_floor_nats(text, *, context):
    places = range(context, len(text))
    before = ["".join(map(str, text[at - context : at])) for at in places]
    pairs, contexts = Counter(zip(before, (text[at] for at in places))), Counter(before)
    return -sum(n * log(n / contexts[seen]) for (seen, _), n in pairs.items()) / len(places)
