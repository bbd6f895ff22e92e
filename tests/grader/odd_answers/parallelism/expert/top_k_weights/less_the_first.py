# Wrong: takes off the first logit, and overflows.
import math


def top_k_weights(*, logits, k, normalised):
    m = logits[0]
    e = [math.exp(z - m) for z in logits]
    o = sorted(range(len(logits)), key=lambda i: -logits[i])[:k]
    t = sum(e[i] for i in o) if normalised else sum(e)
    return [(i, e[i] / t) for i in o]
