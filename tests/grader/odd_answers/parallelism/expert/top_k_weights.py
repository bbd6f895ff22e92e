# %% by_probability
# Right: takes the largest probabilities, of which very small ones are equally 0.
import math


def top_k_weights(*, logits, k, normalised):
    e = [math.exp(z - max(logits)) for z in logits]
    s = [each / sum(e) for each in e]
    best = sorted(range(len(s)), key=lambda i: -s[i])[:k]
    return [(i, s[i] / (sum(s[j] for j in best) if normalised else 1)) for i in best]

# %% in_numpy
# Right: with NumPy, whose integers and floats come back.
import numpy as np


def top_k_weights(*, logits, k, normalised):
    z = np.array(logits)
    p = np.exp(z - z.max())
    p = p / p.sum()
    best = np.argsort(-z, kind="stable")[:k]
    return [(e, p[e] / (p[best].sum() if normalised else 1)) for e in best]

# %% less_the_first
# Wrong: takes off the first logit, and overflows. It passed once.
import math


def top_k_weights(*, logits, k, normalised):
    m = logits[0]
    e = [math.exp(z - m) for z in logits]
    o = sorted(range(len(logits)), key=lambda i: -logits[i])[:k]
    t = sum(e[i] for i in o) if normalised else sum(e)
    return [(i, e[i] / t) for i in o]

# %% less_the_mean
# Wrong: takes off the mean, and overflows. It passed once.
import math


def top_k_weights(*, logits, k, normalised):
    m = sum(logits) / len(logits)
    e = [math.exp(z - m) for z in logits]
    o = sorted(range(len(logits)), key=lambda i: -logits[i])[:k]
    t = sum(e[i] for i in o) if normalised else sum(e)
    return [(i, e[i] / t) for i in o]

# %% softmax_of_the_chosen
# Right: softmax over the chosen logits if normalised.
import math


def top_k_weights(*, logits, k, normalised):
    ranked = sorted(enumerate(logits), key=lambda pair: (-pair[1], pair[0]))
    among = ranked[:k] if normalised else ranked
    total = sum(math.exp(z - ranked[0][1]) for _, z in among)
    return [[e, math.exp(z - ranked[0][1]) / total] for e, z in ranked[:k]]
