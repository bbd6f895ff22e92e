# Wrong: takes off the mean, and overflows.
import math


def top_k_weights(*, logits, k, normalised):
    m = sum(logits) / len(logits)
    e = [math.exp(z - m) for z in logits]
    o = sorted(range(len(logits)), key=lambda i: -logits[i])[:k]
    t = sum(e[i] for i in o) if normalised else sum(e)
    return [(i, e[i] / t) for i in o]
