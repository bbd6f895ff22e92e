# %% all_keys_first
# Right: keeps all that comes by, and takes one softmax at the end; the cost is the same.
import math

from snippets.simulation.machine import Exchange


def ring_attention(*, rank, ranks, queries, keys, values):
    x = len(queries)
    own = list(zip(range(rank * x, rank * x + x), keys, values, strict=False))
    block = keys + values
    for step in range(1, ranks):
        block = yield Exchange((rank + 1) % ranks, block, (rank - 1) % ranks)
        o = (rank - step) % ranks
        own += list(zip(range(o * x, o * x + x), block[:x], block[x:], strict=False))
    out = []
    for i, q in enumerate(queries):
        seen = [(q * k, v) for p, k, v in own if p <= rank * x + i]
        m = max(s for s, _ in seen)
        w = [math.exp(s - m) for s, _ in seen]
        out.append(sum(a * v for a, (_, v) in zip(w, seen, strict=False)) / sum(w))
    return out
    yield

# %% at_most_four_blocks
# Wrong: at most four blocks. It passed once.
import math

from snippets.simulation.machine import Exchange


def ring_attention(*, rank, ranks, queries, keys, values):
    x = len(queries)
    state = [(-math.inf, 0.0, 0.0)] * x
    k, v = list(keys), list(values)
    for t in range(min(ranks, 4)):
        owner = (rank - t) % ranks
        for i, q in enumerate(queries):
            m, total, o = state[i]
            for j in range(x):
                if owner * x + j > rank * x + i:
                    continue
                s = q * k[j]
                new = max(m, s)
                a, b = total * math.exp(m - new), math.exp(s - new)
                o = (a * o + b * v[j]) / (a + b)
                m, total = new, a + b
            state[i] = m, total, o
        if t < ranks - 1:
            arrived = yield Exchange((rank + 1) % ranks, k + v, (rank - 1) % ranks)
            k, v = arrived[:x], arrived[x:]
    return [o for _, _, o in state]

# %% skips_small_weights
# Wrong: leaves out keys whose scores are 10 lower. It passed once.
import math

from snippets.simulation.machine import Exchange


def ring_attention(*, rank, ranks, queries, keys, values):
    x = len(queries)
    state = [(-math.inf, 0.0, 0.0)] * x
    k, v = list(keys), list(values)
    for t in range(ranks):
        owner = (rank - t) % ranks
        for i, q in enumerate(queries):
            m, total, o = state[i]
            for j in range(x):
                if owner * x + j > rank * x + i:
                    continue
                s = q * k[j]
                if s < m - 10:
                    continue
                new = max(m, s)
                a, b = total * math.exp(m - new), math.exp(s - new)
                o = (a * o + b * v[j]) / (a + b)
                m, total = new, a + b
            state[i] = m, total, o
        if t < ranks - 1:
            arrived = yield Exchange((rank + 1) % ranks, k + v, (rank - 1) % ranks)
            k, v = arrived[:x], arrived[x:]
    return [o for _, _, o in state]
